import { expect, test } from 'vitest'
import { signCatFee } from './sign.ts'

const secret = 'test-secret'
const at = '2026-01-02T03:04:05.678Z'

test.each([
  [
    'POST',
    '/v1/order?quantity=65000&receiver=TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE&duration=1h&client_order_id=ord-1&activate=false',
    'jU2IrvmhAXX4t7LVf4CJnPqVVC1GUsr8OlvPrLlQKo8=',
  ],
  ['GET', '/v1/account', 'ooMDITD+rbMo5V/j7ipK8JFJ8678cmJboMATFP45++E='],
])('%s %s is signed as CatFee checks it', (method, path, signature) => {
  expect(signCatFee(secret, { at, method, path })).toBe(signature)
})
