import type { BlockFacts, Chain, OrphanedBlock } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Marketplace, Providers, Taken } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import { type Charges, createCharges } from './charges/charges.ts'
import { earliestEnd, knownMoves, stopWatching } from './delivery.sql.ts'
import {
  FEES_TO_BOOK,
  LAST_SIGHTING,
  ordersToLookUp,
  PARTS_TO_PLACE,
  partsToOrder,
  RECLAIMS_TO_JUDGE,
  REQUESTS_TO_CONCLUDE,
  STAKE_TO_RECLAIM,
} from './due.sql.ts'
import { createConcluding } from './ending/conclude.ts'
import { createEnding } from './ending/end.ts'
import { noteBlock, noteOrphan } from './facts.ts'
import { createFees } from './fees/fees.ts'
import { createJudging } from './market/judge.ts'
import { createOrdering } from './market/order.ts'
import { createResolving } from './market/resolve.ts'
import { createOutlook, type Outlook } from './outlook/outlook.ts'
import { createPlacing } from './placing/place.ts'
import { sumPromised } from './placing/store.ts'
import { costOf } from './plan.ts'
import { createPlanning } from './planning.ts'
import { type Proof, proofOf } from './proof/proof.ts'
import { createReclaiming } from './reclaim.ts'
import { type ChainMove, createRecovered } from './recovered/recovered.ts'
import { createRedelivering } from './redeliver.ts'
import type { DeliveryRequest, OnOutcome } from './request.ts'
import { createScorecard, type Scorecard } from './scorecard/scorecard.ts'
import type { OnStray } from './standing/adjust.ts'
import { createStanding, type Standing } from './standing/standing.ts'
import { createTakenBack, type OnTakenBack } from './takenBack/takenBack.ts'
import { createUndecided, type Undecided } from './undecided/undecided.ts'
import { createUnderWay } from './underWay.ts'

export type Delivery = {
  /** What the cheapest plan would cost us now, in SUN; undefined when it cannot be filled. */
  costOf(energy: bigint): bigint | undefined
  /**
   * Subtracts the Energy of a purchase from the offers. Undefined when this amount is no longer
   * available.
   */
  takeOff(energy: bigint): Taken | undefined
  /** Energy planned at a provider and not placed there yet. */
  promised(provider: string): Promise<bigint>
  /** Opens requests with their parts, in the caller's transaction. */
  open(tx: Tx, requests: readonly DeliveryRequest[]): Promise<void>
  /** The time until which all of these delegations last; null when there is none. */
  usableUntil(txids: readonly string[]): Promise<Date | null>
  /** Writes the facts of a block: delegations and reclaims. */
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
  /** Which of these transactions are delegations and reclaims that we asked for. */
  knownOf(tx: Tx, txids: string[]): Promise<string[]>
  /** Books moves on the chain that no row asked for, and says what was made of each. */
  recover(tx: Tx, moves: readonly ChainMove[]): Promise<Map<string, string>>
  standing: Standing
  /** For the clock of the sandbox: Energy is on its way, and no scripted fault holds it. */
  isUnderWay(): Promise<boolean>
  /** The delegations on the chain for a request; undefined unless it was delivered. */
  proofOf(request: string): Promise<Proof | undefined>
  /** Attempts that only an operator can decide. */
  undecided: Undecided
  /** Reads for operators. */
  outlook: Outlook
  /** What marketplaces charge for attempts. */
  charges: Charges
  scorecard: Scorecard
  wake(): void
  loops: Loop[]
}

export type DeliveryDeps = {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  ledger: Ledger
  signing: Signing
  providers: Providers
  onOutcome: readonly OnOutcome[]
  onTakenBack: readonly OnTakenBack[]
  /** The level of some standing Energy may have changed. */
  onStanding(): void
  /** Called when others have used standing Energy. */
  onStray: OnStray
  /** False while an operator or the audit has turned selling off. */
  isSelling(tx: Tx): Promise<boolean>
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { db, runtime, providers } = deps
  const planning = createPlanning(deps)
  const ending = createEnding({ ...deps, planning })
  const standing = createStanding({ ...deps, onChange: deps.onStanding })
  const loops = [...loopsOf(deps, planning.open, ending), standing.loop]
  const scorecard = createScorecard(deps)
  return {
    costOf(energy) {
      const parts = planning.partsFor(energy)
      return parts && costOf(parts)
    },
    takeOff(energy) {
      const parts = planning.partsFor(energy)
      const taken = parts?.map((part) => providers.takeOff(part.provider, part.energy))
      if (!taken) return undefined
      return {
        keep() {
          for (const one of taken) one.keep()
        },
        putBack() {
          for (const one of taken) one.putBack()
        },
      }
    },
    promised: async (provider) => (await db.query(sumPromised, [provider]))[0]!.energy,
    open: planning.open,
    usableUntil: async (txids) => (await db.query(earliestEnd, [txids]))[0]!.at,
    async onBlock(tx, block) {
      await noteBlock(tx, block)
      await standing.onBlock(tx, block)
    },
    async onOrphan(tx, block) {
      await noteOrphan(tx, block)
      await standing.onOrphan(tx, block)
    },
    knownOf: async (tx, txids) => (await tx.query(knownMoves, [txids])).map(({ txid }) => txid),
    recover: createRecovered(runtime),
    standing,
    isUnderWay: createUnderWay({ db, clock: runtime.clock, providers }),
    proofOf: (request) => proofOf(db, request),
    undecided: createUndecided({ db, runtime, ending }),
    charges: createCharges(db),
    outlook: createOutlook({ db, clock: runtime.clock }),
    scorecard,
    wake() {
      for (const loop of loops) loop.wake()
    },
    // Not woken with the others: it only counts.
    loops: [...loops, scorecard.loop],
  }
}

/** How long a delegation to a receiver may still belong to an ended attempt. */
const WATCHED_MS = 86_400_000

function loopsOf(
  deps: DeliveryDeps,
  open: Delivery['open'],
  ending: ReturnType<typeof createEnding>,
): Loop[] {
  const { db, runtime, log, signing, providers } = deps
  const placing = createPlacing(deps)
  const concluding = createConcluding({
    ...deps,
    ending,
    judging: createJudging({ ...deps, ending }),
  })
  const reclaiming = createReclaiming(deps)
  const redelivering = createRedelivering({ ...deps, open })
  const place = createLoop({
    name: 'delivery.place',
    everyMs: 250,
    due: PARTS_TO_PLACE,
    log,
    async work() {
      const placed = await placing.placeOpenParts()
      if (placed > 0) {
        signing.wake()
        conclude.wake()
      }
      return placed
    },
  })
  const markets = [...providers.marketplaces.values()].flatMap((market) =>
    marketLoops({ ...deps, ending }, market, () => conclude.wake()),
  )
  const conclude = createLoop({
    name: 'delivery.conclude',
    everyMs: 250,
    due: REQUESTS_TO_CONCLUDE,
    // A block may bring Energy of attempts that were given up.
    follows: LAST_SIGHTING,
    log,
    async work() {
      const ended = await concluding.concludeAll()
      // Failed parts may have been planned again.
      if (ended > 0) for (const loop of [place, ...markets]) loop.wake()
      return ended
    },
  })
  const reclaim = createLoop({
    name: 'delivery.reclaim',
    everyMs: 1_000,
    due: STAKE_TO_RECLAIM,
    log,
    async work() {
      const asked = await reclaiming.reclaimDue()
      if (asked > 0) signing.wake()
      const again = await redelivering.redeliverLost()
      if (again > 0) place.wake()
      return asked + again
    },
  })
  const forget = createLoop({
    name: 'delivery.forget',
    everyMs: 60_000,
    log,
    async work() {
      const before = new Date(runtime.clock.now().getTime() - WATCHED_MS)
      await db.query(stopWatching, [before])
      return 0
    },
  })
  const fees = createLoop({
    name: 'delivery.fees',
    everyMs: 1_000,
    due: FEES_TO_BOOK,
    log,
    work: createFees(deps).bookSolid,
  })
  const takenBack = createLoop({
    name: 'delivery.takenBack',
    everyMs: 1_000,
    due: RECLAIMS_TO_JUDGE,
    log,
    work: createTakenBack(deps).decideSolid,
  })
  return [place, conclude, reclaim, forget, fees, takenBack, ...markets]
}

/** Each marketplace has its own loops, so that a slow one does not delay the others. */
function marketLoops(
  deps: DeliveryDeps & { ending: ReturnType<typeof createEnding> },
  market: Marketplace,
  onNews: () => void,
): Loop[] {
  const ordering = createOrdering(deps)
  const resolving = createResolving(deps)
  const telling = (work: () => Promise<number>) => async () => {
    const done = await work()
    if (done > 0) onNews()
    return done
  }
  const { log } = deps
  return [
    createLoop({
      name: `delivery.order.${market.name}`,
      everyMs: 500,
      due: partsToOrder(market.name),
      log,
      work: telling(() => ordering.orderOpenParts(market)),
    }),
    createLoop({
      name: `delivery.resolve.${market.name}`,
      everyMs: 500,
      due: ordersToLookUp(market.name),
      log,
      work: telling(() => resolving.lookUp(market)),
    }),
  ]
}
