import { createHmac } from 'node:crypto'
import type { Clock } from '../kernel/index.ts'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'

const STEP_MS = 30_000

/** What the authenticator app of an operator of the sandbox shows now (RFC 6238). */
export function sandboxCode(clock: Clock, email: string): string | undefined {
  const operator = SANDBOX_OPERATORS.find((one) => one.email === email.toLowerCase())
  if (!operator) return undefined
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(clock.wallMs() / STEP_MS)))
  const mac = createHmac('sha1', operator.totpSecret).update(counter).digest()
  const offset = mac.at(-1)! & 15
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000
  return String(number).padStart(6, '0')
}
