import type { Chain } from '../chain/index.ts'
import { type Claim, createApart, type Db, type Tx } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import { type LostRow, lockOrphaned, setRedelivered } from './redeliver.sql.ts'
import type { DeliveryRequest } from './request.ts'

const BATCH = 50
const DEADLINE_MS = 120_000
/** Assumed lifetime of a marketplace's transaction; nodes use a minute. */
const FOREIGN_LIFE_MS = 120_000

/**
 * Delegates again, for the time that is left, when a reorganisation removed the delegation of a
 * completed order and its bytes have expired. The client pays nothing.
 */
export function createRedelivering(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  open(tx: Tx, requests: readonly DeliveryRequest[]): Promise<void>
}) {
  const { db, runtime, log, chain, open } = deps
  const of = { loop: 'delivery.reclaim', kind: 'delegation' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function dead(orphaned: LostRow[]): Promise<LostRow[]> {
    const states = await chain.broadcasts.states(orphaned.map(({ txid }) => txid))
    const expired = new Set(states.flatMap((s) => (s.state === 'expired' ? s.txid : [])))
    const solidMs = (await chain.progress())?.solidTime.getTime() ?? 0
    return orphaned.filter(({ txid, provider, delegatedAt }) =>
      provider === 'own_stake'
        ? expired.has(txid)
        : solidMs > delegatedAt.getTime() + FOREIGN_LIFE_MS,
    )
  }

  const redeliver = ({ most, skip, took }: Claim): Promise<number> =>
    db.transaction(async (tx) => {
      const now = runtime.clock.now()
      const orphaned = await tx.query(lockOrphaned, [now, most, skip])
      took(orphaned.map(({ txid }) => txid))
      // Until its bytes expire, the same delegation may return by itself.
      const lost = orphaned.length > 0 ? await dead(orphaned) : []
      for (const { txid, receiver, energy, reclaimAt, trace } of lost) {
        const id = runtime.ids.next()
        const secondsLeft = Math.ceil((reclaimAt.getTime() - now.getTime()) / 1000)
        const deadlineAt = new Date(now.getTime() + DEADLINE_MS)
        const durationSeconds = BigInt(secondsLeft)
        await open(tx, [{ id, receiver, energy, durationSeconds, deadlineAt, trace }])
        await tx.query(setRedelivered, [txid, id])
        log.warn('redelivered', { txid, energy })
      }
      return lost.length
    })

  return {
    async redeliverLost(): Promise<number> {
      return (await apart.claim(BATCH, redeliver)).reduce((sum, count) => sum + count, 0)
    },
  }
}
