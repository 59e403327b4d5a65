type App = { hotp(step: number): Promise<string> }

/** What the app shows half a minute from now; it is taken already, and the one of now may be used up. */
export const nextCode = (app: App) => app.hotp(Math.floor(Date.now() / 30_000) + 1)

/** The secret in the link of an authenticator app, as the library wants it. */
export function fromBase32(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...text.replaceAll('=', '')]
    .map((l) => letters.indexOf(l).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2))).toString()
}
