import { createOTP } from '@better-auth/utils/otp'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'

/** What the authenticator app of an operator of the sandbox shows now. */
export function sandboxCode(email: string): Promise<string> | undefined {
  const operator = SANDBOX_OPERATORS.find((one) => one.email === email.toLowerCase())
  return operator && createOTP(operator.totpSecret).totp()
}
