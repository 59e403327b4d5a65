import type { Chain } from '../../chain/index.ts'
import { createApart, type Db } from '../../db/index.ts'
import { type Log, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import { blocksToRead, lockFees, writeFees } from './store.ts'

const BATCH = 10

/**
 * Books the network fees of our delegations and reclaims, once, when their block is solid. One node
 * request per block reads all of its receipts.
 */
export function createFees(deps: {
  db: Db
  runtime: Pick<Runtime, 'clock'>
  log: Log
  chain: Chain
  ledger: Ledger
}) {
  const { db, runtime, log, chain, ledger } = deps
  const of = { loop: 'delivery.fees', kind: 'block' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function bookBlock(block: bigint): Promise<number> {
    const infos = await chain.node.getTransactionInfosByBlockNum(Number(block))
    const fees = new Map(infos.map(({ id, fee }) => [id, fee]))
    return db.transaction(async (tx) => {
      const ours = await tx.query(lockFees, [block])
      const known = ours.flatMap(({ txid }) => {
        const fee = fees.get(txid)
        return fee === undefined ? [] : [{ txid, fee }]
      })
      // A node that lags does not have them yet: retry.
      if (known.length < ours.length) {
        log.warn('receipts_missing', { height: Number(block), count: ours.length - known.length })
      }
      await tx.query(writeFees, [known.map(({ txid }) => txid), known.map(({ fee }) => fee)])
      await ledger.transfer(
        tx,
        known
          .filter(({ fee }) => fee > 0n)
          .map(({ txid, fee }) => ({
            kind: 'network_fee',
            reference: txid,
            from: 'cost:network',
            to: 'asset:staked',
            amount: sun(fee),
            description: 'Network fee of a delegation or a reclaim',
          })),
      )
      return known.length
    })
  }

  return {
    /** Returns how many receipts it read. */
    async bookSolid(): Promise<number> {
      const progress = await chain.progress()
      if (!progress) return 0
      const values = [progress.solidNumber, BATCH, apart.waiting()]
      const blocks = await db.query(blocksToRead, values)
      const read = await apart.each(
        blocks,
        ({ block }) => String(block),
        ({ block }) => bookBlock(block),
      )
      return read.reduce((sum, count) => sum + count, 0)
    },
  }
}
