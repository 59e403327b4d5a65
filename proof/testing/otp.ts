import { base32 } from '@better-auth/utils/base32'

type App = { hotp(step: number): Promise<string> }

/** The app's code 30 seconds from now: it is accepted already, and the current one may have been used. */
export const nextCode = (app: App) => app.hotp(Math.floor(Date.now() / 30_000) + 1)

/** The secret in an authenticator link, as the library expects it. */
export const fromBase32 = (text: string): string => Buffer.from(base32.decode(text)).toString()
