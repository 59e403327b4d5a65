import type { Page } from 'playwright-core'

/** Chromium's own device for passkeys, over CDP: it verifies its owner, and signs when it is told that they are there. */
export async function virtualAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    /** False: nobody touches it, so what a page asks for waits. */
    setPresent: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** False: the finger is not the owner's. */
    setVerified: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    async credentials() {
      return (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
    },
  }
}
