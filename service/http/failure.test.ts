import { refuse } from '@ergon/contract'
import { expect, test } from 'vitest'
import { NotNow, silentLog } from '../kernel/index.ts'
import { failureOf } from './server.ts'

const about = { request: 'request', method: 'POST', route: undefined }

test('what the service refuses for a while is a 503, and a bug is a 500', () => {
  expect(failureOf(new NotNow('later'), silentLog, about)).toEqual(refuse('overloaded'))
  expect(failureOf(new Error('a bug'), silentLog, about)).toEqual(refuse('server_error'))
})
