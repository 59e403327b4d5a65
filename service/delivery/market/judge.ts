import type { Chain, Progress } from '../../chain/index.ts'
import { createApart, type Db, type Tx } from '../../db/index.ts'
import { type Log, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import { energyOf, type Providers } from '../../providers/index.ts'
import type { Ending, Verdict } from '../ending/end.ts'
import { lockRequests } from '../ending/store.ts'
import { insertUndecided } from '../undecided/store.ts'
import { type Delegated, evidenceOf, isWhole, type Named } from './evidence.ts'
import {
  countRivals,
  insertDelegations,
  type LateRow,
  learnDelegators,
  type MarketAttempt,
  marketAttempts,
  readCandidates,
  readClaims,
  readLate,
  reclaimLate,
} from './judge.sql.ts'
import { claimTransactions, giveBack } from './store.ts'

const BATCH = 200
/** A marketplace's transaction that no solid block holds after this time counts as lost. */
const LOST_MS = 600_000
/** After a day without information an operator has to ask the marketplace. */
const SILENT_MS = 86_400_000
/** Allowed difference between block time and our clock. */
const SKEW_MS = 60_000

export type Judging = ReturnType<typeof createJudging>

/** Decides attempts at marketplaces by their answers and the chain. */
export function createJudging(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  ledger: Ledger
  providers: Providers
  ending: Ending
}) {
  const { db, runtime, log, chain, providers, ending } = deps
  const apartOf = (kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop: 'delivery.conclude', kind })
  const attemptsApart = apartOf('attempt')
  const lateApart = apartOf('transaction')

  /** Converts stake to Energy by the network's current totals. */
  async function measuring(receiver: string): Promise<(stake: bigint) => bigint> {
    const resource = await chain.node.getAccountResource(receiver)
    if (!resource) return () => 0n
    const { totalEnergyLimit: energyLimit, totalEnergyWeight: energyWeight } = resource
    return (stake) => energyOf(stake, { energyLimit, energyWeight })
  }

  /** Delivered, or certainly not; undefined while it may still arrive. */
  function verdictOf(
    attempt: MarketAttempt,
    named: Named,
    progress: Progress | undefined,
  ): Verdict | undefined {
    const { word, response, energy, createdAt } = attempt
    const delegated = named.delegated.reduce((sum, one) => sum + one.energy, 0n)
    if (delegated > 0n && isWhole(delegated, energy)) {
      return { state: 'delivered', reason: null, delegated }
    }
    const given = `${delegated} of ${energy} Energy`
    const over = word === 'failed' || (word === 'delivered' && named.delegated.length > 0)
    const lost = progress && progress.solidTime.getTime() > createdAt.getTime() + LOST_MS
    if ((over && named.missing === 0) || (lost && (over || word === 'delivered'))) {
      const reason = word === 'failed' ? response : delegated > 0n ? given : 'not on the chain'
      return { state: delegated > 0n ? 'partial' : 'absent', reason, delegated }
    }
    if (word === 'never' && named.missing === 0 && delegated === 0n) {
      return { state: 'absent', reason: 'it has never seen the order', delegated }
    }
    return undefined
  }

  /** An unnamed, unclaimed delegation of the right size from the marketplace's own addresses. */
  async function findUnnamed(attempt: MarketAttempt, energyIn: (stake: bigint) => bigint) {
    const { id, provider, receiver, energy, createdAt } = attempt
    const from = new Date(createdAt.getTime() - SKEW_MS)
    const candidates = await db.query(readCandidates, [provider, receiver, from])
    const fitting = candidates.filter(({ stake }) => isWhole(energyIn(stake), energy))
    if (fitting.length === 0) return
    const [row] = await db.query(countRivals, [provider, receiver, id])
    if (fitting.length === 1 && row!.rivals === 0n) {
      await db.query(claimTransactions, [[fitting[0]!.txid], id])
      return
    }
    if (row!.rivals > 0n) return
    const evidence = JSON.stringify({ transactions: fitting.map(({ txid }) => txid) })
    const reason = 'several delegations on the chain fit'
    await db.query(insertUndecided, [id, reason, evidence, runtime.clock.now()])
  }

  async function judge(attempt: MarketAttempt, progress: Progress | undefined): Promise<number> {
    const energyIn = await measuring(attempt.receiver)
    const from = new Date(attempt.createdAt.getTime() - SKEW_MS)
    const read = async () =>
      evidenceOf(await db.query(readClaims, [[attempt.id]]), { ...attempt, from, energyIn })
    let named = await read()
    // The marketplace was asked and does not know: the chain alone decides.
    const mute = attempt.looks > 0n && (attempt.word === null || attempt.word === 'never')
    if (mute && named.delegated.length + named.missing === 0) {
      await findUnnamed(attempt, energyIn)
      named = await read()
    }
    const verdict = verdictOf(attempt, named, progress)
    if (!verdict) return watchOn(attempt)
    const ended = await db.transaction(async (tx) => {
      // Lock the request first, as everywhere.
      await tx.query(lockRequests, [[attempt.requestId]])
      await writeDelegations(tx, attempt.id, named.delegated)
      await tx.query(learnDelegators, [attempt.provider, named.delegated.map(({ owner }) => owner)])
      return ending.end(tx, [{ attempt, verdict }])
    })
    if (ended.length > 0)
      await providers.noteOutcome(attempt.provider, verdict.state === 'delivered')
    return 1
  }

  async function watchOn({ id, createdAt, response }: MarketAttempt): Promise<number> {
    const now = runtime.clock.now()
    if (now.getTime() < createdAt.getTime() + SILENT_MS) return 0
    const evidence = JSON.stringify({ response })
    await db.query(insertUndecided, [id, 'no answer for a day', evidence, now])
    return 0
  }

  /** Books Energy for an attempt that was given up: we pay, also when the order failed. */
  async function bearLate(late: LateRow): Promise<void> {
    const energyIn = await measuring(late.receiver)
    const energy = energyIn(late.stake)
    await db.transaction(async (tx) => {
      await tx.query(lockRequests, [[late.requestId]])
      await writeDelegations(tx, late.attempt, [{ ...late, energy }])
      await tx.query(reclaimLate, [late.txid, runtime.clock.now()])
      if (late.useless) await tx.query(giveBack, [[late.attempt]])
      if (energy * late.unitPrice <= 0n) return
      await deps.ledger.transfer(tx, [
        {
          kind: 'provider_goodwill',
          reference: late.txid,
          from: 'cost:goodwill',
          to: `asset:provider_float:${late.provider}`,
          amount: sun(energy * late.unitPrice),
          description: `${energy} Energy of ${late.provider}, too late for the order`,
        },
      ])
    })
    log.warn('delivered_too_late', { order: late.requestId, txid: late.txid })
  }

  return {
    /** Attempts that are put aside: what they delivered is not known. */
    notJudged: () => attemptsApart.waiting(),
    async judgeAll(): Promise<number> {
      if (providers.marketplaces.size === 0) return 0
      const attempts = await db.query(marketAttempts, [BATCH, attemptsApart.waiting()])
      const progress = attempts.length > 0 ? await chain.progress() : undefined
      const judged = await attemptsApart.each(
        attempts,
        ({ id }) => id,
        (attempt) => judge(attempt, progress),
      )
      const late = await db.query(readLate, [BATCH, SKEW_MS, lateApart.waiting()])
      const borne = await lateApart.each(late, ({ txid }) => txid, bearLate)
      return judged.reduce((sum, ended) => sum + ended, borne.length)
    },
  }
}

async function writeDelegations(tx: Tx, attempt: string, seen: readonly Delegated[]) {
  if (seen.length === 0) return
  await tx.query(insertDelegations, [
    attempt,
    seen.map((one) => one.txid),
    seen.map((one) => one.owner),
    seen.map((one) => one.stake),
    seen.map((one) => one.energy),
    seen.map((one) => one.block),
    seen.map((one) => one.seenAt),
  ])
}
