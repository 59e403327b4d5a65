import type { Devnet } from '@ergon/devnet'
import { decodeTransaction, toHex } from '@ergon/tron'
import type { TestDatabase } from './database.ts'

/** What the ledger has on one of our own accounts, as a debit. */
export async function bookedOn(database: TestDatabase, account: string): Promise<bigint> {
  const [row] = await database.sql<{ sum: string }>(
    `select coalesce(sum(case when debit = $1 then amount_sun else -amount_sun end), 0)::text as sum
       from ledger.movement where $1 in (debit, credit)`,
    [account],
  )
  return BigInt(row!.sum)
}

/** Transfers to an address in all blocks. */
export function transfersTo({ chain }: Devnet, to: string): number {
  return Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!)
    .flatMap(({ transactions }) => transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .filter(({ type, value }) => type === 'TransferContract' && value.to_address === toHex(to))
    .length
}
