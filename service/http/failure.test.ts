import { refuse } from '@ergon/contract'
import pg from 'pg'
import { expect, test } from 'vitest'
import { NotNow, silentLog } from '../kernel/index.ts'
import { failureOf } from './server.ts'

const about = { request: 'request', method: 'POST', route: undefined }

test('what the service refuses for a while is a 503, and a bug is a 500', () => {
  expect(failureOf(new NotNow('later'), silentLog, about)).toEqual(refuse('overloaded'))
  expect(failureOf(new Error('a bug'), silentLog, about)).toEqual(refuse('server_error'))
})

test('a lock that nobody released in time, and a statement that took too long, are a 503', () => {
  const timeout = (code: string) =>
    Object.assign(new pg.DatabaseError('in vain', 1, 'error'), { code })
  for (const code of ['55P03', '57014']) {
    expect(failureOf(timeout(code), silentLog, about)).toEqual(refuse('overloaded'))
  }
  expect(failureOf(timeout('23505'), silentLog, about)).toEqual(refuse('server_error'))
})
