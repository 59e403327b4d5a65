import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import { isAddress, toBase58, toHex, verifyMessageV2 } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type Accounts, WALLET_MAIL } from './accounts.ts'
import type { Entered, Sessions, Visitor } from './sessions.ts'
import type { Terms } from './terms.ts'
import type { Said } from './termsText.ts'
import { findByWallet, insertChallenge, takeChallenge } from './walletLogin.sql.ts'

export type Challenge = { nonce: string; message: string; expiresAt: Date }

export type WalletLogin = ReturnType<typeof createWalletLogin>

const VALID_MS = 5 * 60_000
const NOT_SIGNED =
  'This is not the signature of the text by that wallet, or it came too late. Ask for a new text.'

/**
 * Sign-in by a wallet's signature of our text. The text names our host, the wallet, the purpose and the
 * expiry, so that a signature for another site is useless here; it works once.
 */
export function createWalletLogin(deps: {
  db: Db
  runtime: Runtime
  accounts: Accounts
  sessions: Sessions
  webUrl(): string
  terms: Terms
}) {
  const { db, runtime, accounts, sessions, terms } = deps
  // Wall time, because the text is read on the user's phone.
  const now = () => new Date(runtime.clock.wallMs())

  async function challenge(address: string, account: string | null): Promise<Challenge | Refusal> {
    if (!isAddress(address)) {
      return refuse('invalid_wallet', { message: 'This is not the address of a TRON wallet.' })
    }
    const nonce = Buffer.from(runtime.random.bytes(16)).toString('hex')
    const expiresAt = new Date(now().getTime() + VALID_MS)
    const purpose = account ? 'link this wallet to your account' : 'sign in'
    const message = [
      `${new URL(deps.webUrl()).host} asks you to ${purpose}.`,
      'Signing costs nothing and moves nothing.',
      `Wallet: ${address}`,
      `Nonce: ${nonce}`,
      `Valid until: ${expiresAt.toISOString()}`,
    ].join('\n')
    await db.query(insertChallenge, [nonce, address, account, message, expiresAt])
    return { nonce, message, expiresAt }
  }

  /** The wallet that signed, if it matches the challenge, in time and for this purpose. */
  async function signerOf(
    account: string | null,
    { nonce, signature }: { nonce: string; signature: string },
  ): Promise<string | Refusal> {
    const refusal = refuse('invalid_signature', { message: NOT_SIGNED })
    const [asked] = await db.query(takeChallenge, [nonce])
    if (!asked || asked.account !== account || asked.expiresAt < now()) return refusal
    const signer = verifyMessageV2(asked.message, signature)
    return signer && toBase58(signer) === asked.address ? asked.address : refusal
  }

  /** The user of a wallet's account; its e-mail address is made from the wallet. */
  async function personOf(
    wallet: string,
    { referralCode, said }: { referralCode: string; said: Said },
  ): Promise<string | Refusal> {
    const { internalAdapter, adapter } = await (await sessions.library()).$context
    const [linked] = await db.query(findByWallet, [wallet])
    if (linked) {
      const where = [{ field: 'ergonAccount', value: linked.account }]
      const user = await adapter.findOne<{ id: string }>({ model: 'user', where })
      if (user) return user.id
    }
    // Hex, because e-mail addresses are case-insensitive and base58 is not.
    const login = `${toHex(wallet)}${WALLET_MAIL}`
    if (!(await accounts.isKnown(login))) {
      const accepted = terms.judge(said)
      if (isRefusal(accepted)) return accepted
      await accounts.ofLogin({ login, name: '', wallet, referralCode, accepted })
    }
    const known = await internalAdapter.findUserByEmail(login)
    if (known) return known.user.id
    const made = { email: login, name: '', emailVerified: false }
    const user = await internalAdapter.createUser(made, { method: 'siwe' })
    return user.id
  }

  return {
    challengeToSignIn: (address: string) => challenge(address, null),
    challengeToLink: (account: string, address: string) => challenge(address, account),

    async signIn(
      visitor: Visitor,
      shown: { nonce: string; signature: string; referralCode: string; said: Said },
    ): Promise<Entered | Refusal> {
      const wallet = await signerOf(null, shown)
      if (typeof wallet !== 'string') return wallet
      const person = await personOf(wallet, shown)
      return isRefusal(person) ? person : sessions.enterAs(visitor, person)
    },

    async link(
      account: string,
      shown: { nonce: string; signature: string },
    ): Promise<string | Refusal> {
      const wallet = await signerOf(account, shown)
      if (typeof wallet !== 'string') return wallet
      const linked = await accounts.linkWallet(account, wallet)
      const message = 'This wallet belongs to another account. Unlink it there first.'
      return linked ? wallet : refuse('wallet_taken', { message })
    },

    /** Refused when the wallet is the only way to sign in. */
    async unlink(visitor: Visitor, account: string): Promise<Refusal | undefined> {
      const person = await sessions.personOf(visitor)
      if (person?.email === '') {
        const message = 'You sign in with this wallet only. Without it nobody could.'
        return refuse('only_login', { message })
      }
      await accounts.linkWallet(account, '')
      return undefined
    },
  }
}
