import { expect, test } from 'vitest'
import { signTronZap } from './sign.ts'

test.each([
  ['{}', '92d2f3df48f4b81618b47c8c51d06c27ddcdbcc1331b11cdab5a25cbd07c924e'],
  [
    '{"external_id":"ord-1","service":"energy","params":{"address":"TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE","amount":65000,"duration":1}}',
    'a488c9cda6537872714c61ff2dd24c12c679a94dec1f4ca2e893d399502e4d84',
  ],
])('the body %s is signed as TronZap checks it', (body, signature) => {
  expect(signTronZap('test-secret', body)).toBe(signature)
})
