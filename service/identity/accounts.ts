import type { Db, Tx } from '../db/index.ts'
import { assert, type Doors } from '../kernel/index.ts'
import { type ApiKey, hashKey, newApiKey } from './key.ts'
import {
  bumpRevision,
  insertAccount,
  insertKey,
  insertUser,
  removeUsers,
  revokeKey,
} from './store.ts'

/** Runs in the transaction that creates an account: opens its ledger account, allots its address. */
export type OnAccount = (tx: Tx, account: string) => Promise<void>

export type Accounts = {
  create(name: string): Promise<{ account: string; apiKey: ApiKey }>
  createKey(account: string): Promise<{ keyId: string; apiKey: ApiKey }>
  /** False when the account has no such key, or it is dead already. */
  revokeKey(account: string, keyId: string): Promise<boolean>
  removeUser(account: string): Promise<boolean>
}

export function createAccounts(deps: {
  db: Db
  doors: Doors
  onAccount: readonly OnAccount[]
}): Accounts {
  const { db, doors, onAccount } = deps

  async function addKey(tx: Tx, account: string) {
    const apiKey = newApiKey(doors.random)
    const keyId = doors.ids.next()
    const values = [keyId, account, hashKey(apiKey), apiKey.slice(-4), doors.clock.now()]
    const [added] = await tx.query(insertKey, values)
    assert(added, `account ${account} has no user to hold a key`)
    return { keyId, apiKey }
  }

  return {
    create: (name) =>
      db.transaction(async (tx) => {
        const account = doors.ids.next()
        const now = doors.clock.now()
        await tx.query(insertAccount, [account, name, now])
        await tx.query(insertUser, [doors.ids.next(), account, now])
        const { apiKey } = await addKey(tx, account)
        for (const participant of onAccount) await participant(tx, account)
        return { account, apiKey }
      }),
    createKey: (account) => db.transaction((tx) => addKey(tx, account)),
    revokeKey: (account, keyId) =>
      db.transaction(async (tx) => {
        const revoked = await tx.query(revokeKey, [account, keyId, doors.clock.now()])
        if (revoked.length > 0) await tx.query(bumpRevision)
        return revoked.length > 0
      }),
    removeUser: (account) =>
      db.transaction(async (tx) => {
        const removed = await tx.query(removeUsers, [account, doors.clock.now()])
        if (removed.length > 0) await tx.query(bumpRevision)
        return removed.length > 0
      }),
  }
}
