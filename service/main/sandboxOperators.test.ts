import { hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOTP } from '@better-auth/utils/otp'
import { expect, test } from 'vitest'
import { fromBase32 } from '../../proof/testing/otp.ts'
import { systemClock } from '../kernel/index.ts'
import { publicKeyOf } from '../signing/index.ts'
import { sandboxCode } from './sandboxCode.ts'
import { SANDBOX_MNEMONIC_FILE } from './sandboxNetwork.ts'
import { SANDBOX_OPERATORS, toBase32 } from './sandboxOperators.ts'

test('the approval keys of the sandbox derive from the published mnemonic', () => {
  const mnemonic = readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim()
  for (const [place, { key, privateKey }] of SANDBOX_OPERATORS.entries()) {
    const seed = hkdfSync('sha256', mnemonic, '', `ergon sandbox operator ${place}`, 32)
    expect(privateKey).toBe(Buffer.from(seed).toString('hex'))
    expect(publicKeyOf(privateKey)).toBe(key)
  }
})

test('their apps have the secrets of sandbox.json and show what the command prints', async () => {
  for (const { email, totpSecret } of SANDBOX_OPERATORS) {
    expect(fromBase32(toBase32(totpSecret))).toBe(totpSecret)
    const code = sandboxCode(systemClock(), email)!
    expect(await createOTP(totpSecret).verify(code)).toBe(true)
  }
  expect(sandboxCode(systemClock(), 'stranger@example.com')).toBeUndefined()
})
