import { toBase58 } from '@ergon/tron'
import type { Db } from '../../db/index.ts'
import { type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Signing } from '../../signing/index.ts'
import { addToHoldings } from '../finish.sql.ts'
import type { Looking } from '../look.ts'
import type { Paid } from './feeReader.ts'
import { bookSweeps } from './store.ts'

const AS = 'sweep to the hot wallet'

/** Sweeps on the chain that are not in the books: they went from an address of ours to the hot wallet. */
export function createSweepRecovery(deps: {
  db: Db
  runtime: Runtime
  ledger: Ledger
  signing: Signing
  /** Reads solid balances of deposit addresses. */
  read: Looking['read']
}) {
  const { db, runtime, ledger, signing, read } = deps
  return {
    async book(found: Paid[], told: Map<string, string>): Promise<void> {
      if (found.length === 0) return
      await db.transaction(async (tx) => {
        const mine = await signing.recovery.book(
          tx,
          found.map(({ txid }) => ({ txid, as: AS })),
        )
        const news = found.filter(({ txid }) => mine.has(txid))
        const booked = await tx.query(bookSweeps, [
          news.map(() => runtime.ids.next()),
          news.map(({ address }) => toBase58(address)),
          news.map(({ amount }) => amount),
          news.map(({ txid }) => txid),
          news.map(({ fee }) => fee),
          news.map(({ minedAt }) => minedAt),
          runtime.clock.now(),
        ])
        await tx.query(addToHoldings, [
          booked.map(({ address }) => address),
          booked.map(({ amount, fee }) => -(amount + fee)),
        ])
        await ledger.transfer(
          tx,
          booked.flatMap(({ txid, amount, fee }) => movesOf(txid, amount, fee)),
        )
      })
      for (const { txid } of found) told.set(txid, AS)
      // Read before the sweep was in the books, they had a difference, which is none now.
      await read([...new Set(found.map(({ address }) => toBase58(address)))])
    },
  }
}

/** As the sweep itself books it. */
function movesOf(reference: string, amount: bigint, fee: bigint) {
  const of = { reference, to: 'asset:deposit_addresses' } as const
  const swept = {
    ...of,
    kind: 'sweep' as const,
    from: 'asset:hot' as const,
    amount: sun(amount),
    description: 'Swept to the hot wallet',
  }
  const burnt = {
    ...of,
    kind: 'network_fee' as const,
    from: 'cost:network' as const,
    amount: sun(fee),
    description: 'Network fee of a sweep',
  }
  return fee > 0n ? [swept, burnt] : [swept]
}
