/** Published, like the mnemonic: a sandbox holds no real money and listens on loopback. */
export const DEMO = { email: 'demo@ergon.example', password: 'sandbox-password' }
