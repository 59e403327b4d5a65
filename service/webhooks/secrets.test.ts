import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandom } from '../kernel/index.ts'
import { createSecrets } from './secrets.ts'
import { headersOf } from './signature.ts'

const secrets = createSecrets(new Uint8Array(32).fill(1), systemRandom)

test('a sealed secret opens for its webhook and its key, and for no other', () => {
  const secret = secrets.create()
  expect(secret).toMatch(/^whsec_[\w-]{43}$/)
  const sealed = secrets.seal('a', secret)
  expect(secrets.open('a', sealed)).toBe(secret)
  expect(sealed.includes(Buffer.from(secret.slice(6)))).toBe(false)
  expect(() => secrets.open('b', sealed)).toThrow()
  const other = createSecrets(new Uint8Array(32).fill(2), systemRandom)
  expect(() => other.open('a', sealed)).toThrow('another key')
  sealed[sealed.length - 1]! ^= 1
  expect(() => secrets.open('a', sealed)).toThrow()
  expect(secrets.seal('a', secret)).not.toEqual(secrets.seal('a', secret))
})

test('while a key takes over from another both open, and the first one seals', () => {
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const sealedByOld = secrets.seal('a', 'whsec_old')
  const both = createSecrets(next, systemRandom, [old])
  expect(both.open('a', sealedByOld)).toBe('whsec_old')
  const alone = createSecrets(next, systemRandom)
  expect(alone.open('a', both.seal('a', 'whsec_new'))).toBe('whsec_new')
  expect(() => alone.open('a', sealedByOld)).toThrow('another key')
})

test('the signature is over timestamp, a point and the very bytes', () => {
  const body = '{"a":"ü"}'
  const delivery = { id: 'd', type: 't', body, timestamp: 1_700_000_000 }
  const sign = (secret: string) =>
    `v1=${createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')}`
  expect(headersOf({ ...delivery, secrets: ['one'] })).toMatchObject({
    'Content-Type': 'application/json',
    'X-Service-Event': 't',
    'X-Service-Delivery': 'd',
    'X-Service-Timestamp': '1700000000',
    'X-Service-Signature': sign('one'),
  })
  expect(headersOf({ ...delivery, secrets: ['one'] })).not.toHaveProperty(
    'X-Service-Signature-Next',
  )
  expect(headersOf({ ...delivery, secrets: ['one', 'two'] })).toMatchObject({
    'X-Service-Signature': sign('one'),
    'X-Service-Signature-Next': sign('two'),
  })
})
