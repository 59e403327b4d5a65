import { base32 } from '@better-auth/utils/base32'

type App = { hotp(step: number): Promise<string> }

/** What the app shows half a minute from now; it is taken already, and the one of now may be used up. */
export const nextCode = (app: App) => app.hotp(Math.floor(Date.now() / 30_000) + 1)

/** The secret in the link of an authenticator app, as the library wants it. */
export const fromBase32 = (text: string): string => Buffer.from(base32.decode(text)).toString()
