import type { Db } from '../db/index.ts'
import { assert, batched, isUuid, type Sun, sun } from '../kernel/index.ts'
import type { Block } from './block.ts'
import { type BalanceRow, readBalances } from './store.ts'

export type Balance = Readonly<{
  balance: Sun
  reserved: Sun
  withheld: Sun
  /** Of a blocked client too: what it could spend. */
  spendable: Sun
  block: Block | undefined
}>

type Row = BalanceRow & { blockReason: string | null; blockedAt: Date | null }

/** Reads balances without a cache: one query for all requests that wait together. */
export function createReadBalance(db: Db): (account: string) => Promise<Balance> {
  const read = batched(async (accounts: string[]) => {
    const rows = await db.query(readBalances, [accounts])
    const byId = new Map(rows.map((row) => [row.id, row]))
    return accounts.map((account) => byId.get(account))
  })

  return async (account) => {
    assert(isUuid(account), `${account} is not an account`)
    const row = await read(account)
    assert(row, `account ${account} has no ledger account`)
    return balanceOf(row)
  }
}

function balanceOf({ balance, reserved, withheld, overdrawn, ...row }: Row): Balance {
  const { blockReason: reason, blockedAt: since } = row
  const block = reason !== null && since !== null ? { reason, since } : undefined
  const left = overdrawn ? 0n : balance - reserved - withheld
  const spendable = sun(left > 0n ? left : 0n)
  return {
    balance: sun(balance),
    reserved: sun(reserved),
    withheld: sun(withheld),
    spendable,
    block,
  }
}
