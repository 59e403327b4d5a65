import type { Db, Tx } from '../db/index.ts'
import { assert, type Runtime } from '../kernel/index.ts'
import {
  bumpRevision,
  describeKey,
  type FoundAccount,
  findEmail,
  findExactly,
  findReferralCode,
  insertAccount,
  insertKey,
  insertSignUp,
  insertUser,
  type KeyRow,
  linkWallet,
  listKeys,
  namesOf,
  type ProfileRow,
  readProfile,
  removeUsers,
  revokeKey,
  searchAccounts,
} from './accounts.sql.ts'
import { type ApiKey, hashKey, newApiKey } from './key.ts'
import { newReferralCode } from './referralCode.ts'
import { findSignUp } from './store.ts'
import { writeAccepted } from './terms.ts'
import type { Accepted } from './termsText.ts'

/** Runs in the transaction that creates an account: opens its ledger account, allots its address. */
export type OnAccount = (tx: Tx, account: string) => Promise<void>

/** A sign-up by e-mail address or wallet, with the referral code. */
export type SignUp = {
  login: string
  name: string
  wallet?: string
  referralCode: string
  /** Versions of the terms that the person accepted. */
  accepted?: readonly Accepted[]
}

/** Wallets that sign up have no e-mail address; this one can never receive mail (RFC 2606). */
export const WALLET_MAIL = '@wallet.invalid'

/** What the owner writes about a key; absent: as it was, or empty. */
type KeyTexts = { name?: string | undefined; note?: string | undefined }

const CODES_MAX = 100_000

export type Accounts = {
  create(name: string): Promise<{ account: string; apiKey: ApiKey }>
  /** Whether a login has an account. */
  isKnown(login: string): Promise<boolean>
  /** The account of a login: created, or found when an earlier sign-up was interrupted. */
  ofLogin(signUp: SignUp): Promise<string>
  profileOf(account: string): Promise<ProfileRow | undefined>
  /** The name of each account, or how it signs in. */
  namesOf(accounts: string[]): Promise<Map<string, string>>
  /** The code that others name when they sign up; read once per process, because it never changes. */
  referralCodeOf(account: string): string | Promise<string>
  /** The address that letters to the owner go to; undefined for an account without one. */
  emailOf(tx: Tx, account: string): Promise<string | undefined>
  keysOf(account: string): Promise<KeyRow[]>
  createKey(account: string, about?: KeyTexts): Promise<{ keyId: string; apiKey: ApiKey }>
  /** Undefined when the account has no such active key. */
  describeKey(account: string, keyId: string, about: KeyTexts): Promise<KeyRow | undefined>
  /** False when the account has no such active key. */
  revokeKey(account: string, keyId: string): Promise<boolean>
  /** Empty: unlinks. False when the wallet belongs to another account. */
  linkWallet(account: string, wallet: string): Promise<boolean>
  removeUser(account: string): Promise<boolean>
  /** For operators: a whole login, wallet or id finds that account alone, a part of a name or login the newest first. */
  search(text: string, id: string | undefined, limit: number): Promise<FoundAccount[]>
}

export function createAccounts(deps: {
  db: Db
  runtime: Runtime
  onAccount: readonly OnAccount[]
}): Accounts {
  const { db, runtime, onAccount } = deps
  const codes = new Map<string, string>()

  async function addAccount(tx: Tx, name: string): Promise<string> {
    const account = runtime.ids.next()
    const now = runtime.clock.now()
    await tx.query(insertAccount, [account, name, now, newReferralCode(runtime.random)])
    await tx.query(insertUser, [runtime.ids.next(), account, now])
    return account
  }

  async function addKey(tx: Tx, account: string, { name = '', note = '' }: KeyTexts) {
    const apiKey = newApiKey(runtime.random)
    const keyId = runtime.ids.next()
    const shown = [hashKey(apiKey), apiKey.slice(-4), runtime.clock.now()]
    const [added] = await tx.query(insertKey, [keyId, account, ...shown, name, note])
    assert(added, `account ${account} has no user to hold a key`)
    return { keyId, apiKey }
  }

  async function open(tx: Tx, signUp: SignUp): Promise<string> {
    const { login, name, wallet, referralCode, accepted = [] } = signUp
    const account = await addAccount(tx, name)
    // Insert the login before calling participants: of two concurrent sign-ups the second waits here.
    await tx.query(insertSignUp, [login, account, referralCode, runtime.clock.now()])
    if (wallet) await tx.query(linkWallet, [account, wallet])
    await writeAccepted(tx, { account, accepted, place: 'sign_up' }, runtime)
    for (const participant of onAccount) await participant(tx, account)
    return account
  }

  async function lookUpCode(account: string): Promise<string> {
    const code = (await db.query(findReferralCode, [account]))[0]?.code ?? ''
    if (codes.size >= CODES_MAX) codes.clear()
    codes.set(account, code)
    return code
  }

  return {
    create: (name) =>
      db.transaction(async (tx) => {
        const account = await addAccount(tx, name)
        const { apiKey } = await addKey(tx, account, {})
        for (const participant of onAccount) await participant(tx, account)
        return { account, apiKey }
      }),
    isKnown: async (login) => (await db.query(findSignUp, [login])).length > 0,
    async ofLogin(signUp) {
      const [known] = await db.query(findSignUp, [signUp.login])
      if (known) return known.account
      try {
        return await db.transaction((tx) => open(tx, signUp))
      } catch (error) {
        const [twin] = await db.query(findSignUp, [signUp.login])
        if (twin) return twin.account
        throw error
      }
    },
    async search(text, id, limit) {
      const whole = await db.query(findExactly, [text, id ?? null])
      return whole.length > 0 ? whole : db.query(searchAccounts, [text, limit])
    },
    async namesOf(of) {
      const rows = await db.query(namesOf, [[...new Set(of)]])
      return new Map(rows.map(({ id, name }) => [id, name]))
    },
    profileOf: async (account) => (await db.query(readProfile, [account]))[0],
    referralCodeOf: (account) => codes.get(account) ?? lookUpCode(account),
    emailOf: async (tx, account) => (await tx.query(findEmail, [account, WALLET_MAIL]))[0]?.email,
    keysOf: (account) => db.query(listKeys, [account]),
    createKey: (account, about = {}) => db.transaction((tx) => addKey(tx, account, about)),
    describeKey: async (account, keyId, { name = null, note = null }) =>
      (await db.query(describeKey, [account, keyId, name, note]))[0],
    revokeKey: (account, keyId) =>
      db.transaction(async (tx) => {
        const revoked = await tx.query(revokeKey, [account, keyId, runtime.clock.now()])
        if (revoked.length > 0) await tx.query(bumpRevision)
        return revoked.length > 0
      }),
    async linkWallet(account, wallet) {
      try {
        return (await db.query(linkWallet, [account, wallet])).length > 0
      } catch (error) {
        // Two accounts at the same time: the unique index decides.
        if ((error as { constraint?: string }).constraint === 'one_account_per_wallet') return false
        throw error
      }
    },
    removeUser: (account) =>
      db.transaction(async (tx) => {
        const removed = await tx.query(removeUsers, [account, runtime.clock.now()])
        if (removed.length > 0) await tx.query(bumpRevision)
        return removed.length > 0
      }),
  }
}
