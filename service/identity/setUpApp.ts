import { createOTP } from '@better-auth/utils/otp'
import type { Auth } from './auth.ts'

/** Setup data of an authenticator app: a link for its camera, or a secret to type. */
export type App = { uri: string; secret: string }

/** Sets up a confirmed app with our secret and without backup codes; it replaces an earlier app. */
export async function setUpApp(
  auth: Auth,
  { id: userId, email }: { id: string; email: string },
  secret: string,
): Promise<App> {
  const { symmetricEncrypt } = await import('better-auth/crypto')
  const { adapter, internalAdapter, secretConfig: key } = await auth.$context
  const encrypted = await symmetricEncrypt({ key, data: secret })
  const backupCodes = await symmetricEncrypt({ key, data: '[]' })
  const data = { userId, secret: encrypted, backupCodes, verified: true }
  await adapter.deleteMany({ model: 'twoFactor', where: [{ field: 'userId', value: userId }] })
  await adapter.create({ model: 'twoFactor', data })
  await internalAdapter.updateUser(userId, { twoFactorEnabled: true })
  const uri = createOTP(secret).url('Ergon', email)
  return { uri, secret: new URL(uri).searchParams.get('secret')! }
}
