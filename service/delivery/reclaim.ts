import { toHex } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import { type Claim, createApart, type Db } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import { dropReclaim, lockReclaims, reclaimsUnderWay, setReclaim } from './reclaim.sql.ts'

const BATCH = 50
/** Long: a reclaim is not urgent, and an expired one is built again. */
const LIFE_MS = 120_000

/** Reclaims delegations after their hour, with exactly the delegated stake that others have not taken back. */
export function createReclaiming(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  signing: Signing
}) {
  const { db, runtime, log, chain, signing } = deps
  const of = { loop: 'delivery.reclaim', kind: 'delegation' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function askForDue({ most, skip, took }: Claim): Promise<number> {
    return db.transaction(async (tx) => {
      const due = await tx.query(lockReclaims, [runtime.clock.now(), most, skip])
      if (due.length === 0) return 0
      took(due.map(({ txid }) => txid))
      const ground = await chain.ground(LIFE_MS)
      if (!ground) return 0
      for (const { txid, owner, receiver, stake } of due) {
        const value = {
          owner_address: owner,
          receiver_address: toHex(receiver),
          resource: 'ENERGY' as const,
          balance: stake,
        }
        const contract = { type: 'UnDelegateResourceContract' as const, value }
        const want = { purpose: 'reclaim' as const, contract, ground, lifeMs: LIFE_MS }
        const asked = await signing.ask(tx, want)
        await tx.query(setReclaim, [txid, asked.txid, asked.expiresAt])
      }
      return due.length
    })
  }

  /** Drops reclaims whose bytes expired in no block, so that they are built again. */
  async function dropDead(): Promise<number> {
    const progress = await chain.progress()
    if (!progress) return 0
    const values = [progress.solidTime, BATCH, apart.waiting()]
    const stale = await db.query(reclaimsUnderWay, values)
    const dropped = await apart.each(
      stale,
      ({ txid }) => txid,
      ({ txid, reclaimTxid }) => db.query(dropReclaim, [txid, reclaimTxid]),
    )
    return dropped.length
  }

  return {
    async reclaimDue(): Promise<number> {
      const dropped = await dropDead()
      const asked = await apart.claim(BATCH, askForDue)
      return asked.reduce((sum, count) => sum + count, dropped)
    },
  }
}
