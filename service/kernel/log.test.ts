import { expect, test } from 'vitest'
import { createLog, type Log } from './log.ts'

const KEY = `erg_${'k3Y'.repeat(14)}x`

function recording(level = 'info'): { log: Log; text(): string } {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  return { log: createLog(level, { write }), text: () => text }
}

test('listed fields are written as one JSON line', () => {
  const { log, text } = recording()
  log.info('order_settled', { order: 'o-1', energy: 65_000n, duration_ms: 12 })
  expect(JSON.parse(text())).toMatchObject({
    msg: 'order_settled',
    order: 'o-1',
    energy: '65000',
    duration_ms: 12,
  })
})

test('a field that is not listed is not written', () => {
  const { log, text } = recording()
  log.warn('call', { body: 'canary-1', headers: { 'x-api-key': 'canary-2' }, password: 'canary-3' })
  expect(text()).not.toContain('canary')
})

test('an object under a listed name is not written: it could carry anything', () => {
  const { log, text } = recording()
  log.info('call', { order: { secret: 'canary-1' }, request: ['canary-2'], state: null })
  expect(text()).not.toContain('canary')
  expect(JSON.parse(text())).toMatchObject({ state: null })
})

test.each([
  `cannot reach postgresql://ergon_app:canary@db.example:5432/ergon`,
  `bad list postgres://a:canary@one,postgres://b:canary@two`,
  `odd password redis://u:can/ca@nary-canary@host`,
  `refused key ${KEY}`,
])('a secret in an error is struck out: %s', (message) => {
  const { log, text } = recording()
  log.error('request_failed', { error: new Error(message) })
  log.error('request_failed', { error: message, reason: message })
  expect(text()).toContain('request_failed')
  expect(text()).not.toContain('canary')
  expect(text()).not.toContain(KEY)
})

test('of an error only name, message, code and stack are written', () => {
  const { log, text } = recording()
  const error = Object.assign(new Error('duplicate'), {
    code: '23505',
    detail: 'Key (key_hash)=(canary) already exists.',
    config: { password: 'canary' },
  })
  log.error('request_failed', { error })
  expect(text()).not.toContain('canary')
  expect(JSON.parse(text()).error).toMatchObject({
    name: 'Error',
    message: 'duplicate',
    code: '23505',
  })
})

test('a warning has no stack: it is a short line about the world', () => {
  const { log, text } = recording()
  log.warn('offer_unreadable', { provider: 'itrx', error: new TypeError('no answer') })
  expect(JSON.parse(text())).toMatchObject({
    provider: 'itrx',
    error: { name: 'TypeError', message: 'no answer' },
  })
  expect(text()).not.toContain('stack')
})

test('below the level nothing is written', () => {
  const { log, text } = recording('warn')
  log.info('order_settled', { order: 'o-1' })
  expect(text()).toBe('')
})
