import type { Chain } from '../chain/index.ts'
import { type Claim, createApart, type Db } from '../db/index.ts'
import { type Log, type Runtime, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import {
  depositPosting,
  newsOf,
  notifyParticipants,
  type OnDeposits,
  referenceOf,
} from './credit.ts'
import { addToHoldings, lockDead, lockSolid, revertDeposits, verifyDeposits } from './finish.sql.ts'

const BATCH = 500

/** Makes deposits final once their block is solid, or reverts them once they can never return. */
export function createFinishing(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  ledger: Ledger
  onDeposits: readonly OnDeposits[]
}) {
  const { db, runtime, log, chain, ledger, onDeposits } = deps
  const of = { loop: 'deposits.finish', kind: 'deposit' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  const verify = (solidNumber: number, { most, skip, took }: Claim) =>
    db.transaction(async (tx) => {
      const solid = await tx.query(lockSolid, [solidNumber, most, skip])
      if (solid.length === 0) return 0
      took(solid.map(({ id }) => id))
      await tx.query(verifyDeposits, [solid.map((d) => d.id), runtime.clock.now()])
      await tx.query(addToHoldings, [solid.map((d) => d.address), solid.map((d) => d.amount)])
      const credited = solid.filter((d) => !d.posted)
      const news = newsOf(credited, 'credited')
      const spend = await notifyParticipants(tx, onDeposits, { news, minedAt: null })
      await ledger.post(tx, credited.map(depositPosting))
      await spend()
      return solid.length
    })

  const revert = (solidTime: Date, { most, skip, took }: Claim) =>
    db.transaction(async (tx) => {
      const dead = await tx.query(lockDead, [solidTime, most, skip])
      if (dead.length === 0) return 0
      took(dead.map(({ id }) => id))
      await tx.query(revertDeposits, [dead.map((d) => d.id)])
      const news = newsOf(dead, 'gone')
      const spend = await notifyParticipants(tx, onDeposits, { news, minedAt: null })
      const posted = dead.filter((d) => d.posted)
      await ledger.withhold(
        tx,
        posted.map((d) => ({ client: d.account, amount: -d.amount })),
      )
      await ledger.post(
        tx,
        posted.map(({ kind, account, amount, txid, position }) => ({
          client: account,
          kind: `${kind}_reversal` as const,
          reference: referenceOf(txid, position),
          amount: sun(-amount),
          counter: 'asset:deposit_addresses' as const,
          description: `${kind === 'deposit' ? 'Deposit' : 'Payment of a customer'} reversed: its transfer is no longer on the chain`,
          trace: txid,
        })),
      )
      await spend()
      return dead.length
    })

  return {
    async finish(): Promise<number> {
      const progress = await chain.progress()
      if (!progress) return 0
      const { solidNumber, solidTime } = progress
      const verified = await apart.claim(BATCH, (claim) => verify(solidNumber, claim))
      const reverted = await apart.claim(BATCH, (claim) => revert(solidTime, claim))
      return [...verified, ...reverted].reduce((sum, count) => sum + count, 0)
    },
  }
}
