import type { Auth } from './auth.ts'

/** An authenticator app with a secret that is known beforehand, confirmed, without backup codes. */
export async function setUpApp(auth: Auth, userId: string, secret: string): Promise<void> {
  const { symmetricEncrypt } = await import('better-auth/crypto')
  const { adapter, internalAdapter, secretConfig: key } = await auth.$context
  const encrypted = await symmetricEncrypt({ key, data: secret })
  const backupCodes = await symmetricEncrypt({ key, data: '[]' })
  const data = { userId, secret: encrypted, backupCodes, verified: true }
  await adapter.create({ model: 'twoFactor', data })
  await internalAdapter.updateUser(userId, { twoFactorEnabled: true })
}
