import { hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOTP } from '@better-auth/utils/otp'
import { expect, test } from 'vitest'
import { publicKeyOf } from '../signing/index.ts'
import { sandboxCode } from './sandboxCode.ts'
import { SANDBOX_MNEMONIC_FILE } from './sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'

test('the approval keys of the sandbox derive from the published mnemonic', () => {
  const mnemonic = readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim()
  for (const [place, { key, privateKey }] of SANDBOX_OPERATORS.entries()) {
    const seed = hkdfSync('sha256', mnemonic, '', `ergon sandbox operator ${place}`, 32)
    expect(privateKey).toBe(Buffer.from(seed).toString('hex'))
    expect(publicKeyOf(privateKey)).toBe(key)
  }
})

test('their apps show what the command prints', async () => {
  for (const { email, totpSecret } of SANDBOX_OPERATORS) {
    expect(await createOTP(totpSecret).verify((await sandboxCode(email))!)).toBe(true)
  }
  expect(sandboxCode('stranger@example.com')).toBeUndefined()
})
