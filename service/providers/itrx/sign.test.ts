import { expect, test } from 'vitest'
import { canonicalJson, signItrx } from './sign.ts'

test('the body is written with its keys in order and signed as iTRX checks it', () => {
  const body = canonicalJson({
    receive_address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
    period: '1H',
    out_trade_no: 'ord-1',
    energy_amount: 65_000,
  })
  expect(body).toBe(
    '{"energy_amount":65000,"out_trade_no":"ord-1","period":"1H","receive_address":"TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"}',
  )
  expect(signItrx('test-secret', { at: '1767323045', body })).toBe(
    'b8cd97ba2f9b872d765790bcaaf5051cc502efa897d8f58036c6c3587c60ccec',
  )
})

test('slashes stay as they are', () => {
  expect(canonicalJson({ callback_url: 'https://a/b' })).toBe('{"callback_url":"https://a/b"}')
})
