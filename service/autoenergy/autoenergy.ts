import type { Refusal } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Chain, OnBlock, OnOrphan } from '../chain/index.ts'
import { createApart, type Db } from '../db/index.ts'
import type { Standing } from '../delivery/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, createTurns, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Pricing } from '../pricing/index.ts'
import { subscriptionsToSettle, writeSwitch } from './autoenergy.sql.ts'
import { type Bars, createBars } from './bars/bars.ts'
import { createClosing } from './close.ts'
import { CALLS_TO_FINISH, SUBSCRIPTIONS_TO_SETTLE } from './due.sql.ts'
import { createFacts } from './facts.ts'
import { createReads, type Reads } from './read.ts'
import { createSettling } from './settle.ts'
import { readSwitch } from './store.ts'
import { type Again, type Asker, createSubscribing, type Wish } from './subscribe.ts'
import type { Subscription } from './subscription.ts'

export type AutoEnergy = Reads & {
  subscribe(asker: Asker, wish: Wish): Promise<Subscription | Refusal>
  reactivate(asker: Asker, address: string, again: Again): Promise<Subscription | Refusal>
  close(asker: Asker, address: string): Promise<Subscription | Refusal>
  /** Undefined when it was removed. */
  remove(asker: Asker, address: string): Promise<Refusal | undefined>
  onBlock: OnBlock
  onOrphan: OnOrphan
  /** Whether new subscriptions are allowed; existing ones continue. */
  enabled(): Promise<{ enabled: boolean; reason: string }>
  setEnabled(enabled: boolean, reason: string): Promise<void>
  /** Addresses that are not covered because others used their Energy. */
  bars: Bars
  wake(): void
  loops: Loop[]
}

const BATCH = 300
/** Sorts before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'
const AT_ONCE = 4
/** Changes of one client at a time: each may wait for its account on a connection. */
const CHANGES_AT_ONCE = 2

export function createAutoEnergy(deps: {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  events: Events
  ledger: Ledger
  pricing: Pricing
  /** Late bound: both are built with participants of this room. */
  chain: () => Chain
  standing: () => Standing
}): AutoEnergy {
  const { db, runtime, log } = deps
  const bars = createBars(deps)
  const settling = createSettling({ ...deps, bars })
  const facts = createFacts(deps)
  const of = { loop: 'autoenergy.settle', kind: 'subscription' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  /** Cursor of the rounds, so that a subscription that cannot be settled does not block the others. */
  let turn = FIRST
  async function settleSome(): Promise<number> {
    const progress = await deps.chain().progress()
    if (!progress) return 0
    const now = runtime.clock.now()
    const upTo = progress.solidTime < now ? progress.solidTime : now
    const astray = await deps.standing().astray(BATCH)
    const values = [upTo, BATCH, astray, turn, apart.waiting()]
    const waiting = await db.query(subscriptionsToSettle, values)
    // The next round starts after the last of these, or from the beginning after a partial round.
    const inTurn = waiting.filter((one) => one.inTurn)
    turn = inTurn.length < BATCH ? FIRST : inTurn[BATCH - 1]!.id
    const seen = waiting.length > 0 ? await settling.outlook() : undefined
    if (!seen) return 0
    let done = 0
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { id } = next
        if (await apart.alone(id, () => settling.settle(id, seen))) done += 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    if (done > 0) deps.standing().wake()
    return done
  }

  const settle = createLoop({
    name: 'autoenergy.settle',
    everyMs: 250,
    due: SUBSCRIPTIONS_TO_SETTLE,
    log,
    work: settleSome,
  })
  const finish = createLoop({
    name: 'autoenergy.finish',
    everyMs: 1_000,
    due: CALLS_TO_FINISH,
    log,
    work: facts.finish,
  })
  const subscribing = createSubscribing({ ...deps, bars, settling })
  const closing = createClosing({ ...deps, settling })
  const turns = createTurns(CHANGES_AT_ONCE)
  return {
    subscribe: (asker, ...wish) =>
      turns(asker.account, () => subscribing.subscribe(asker, ...wish)),
    reactivate: (asker, ...wish) =>
      turns(asker.account, () => subscribing.reactivate(asker, ...wish)),
    close: (asker, ...wish) => turns(asker.account, () => closing.close(asker, ...wish)),
    remove: (asker, ...wish) => turns(asker.account, () => closing.remove(asker, ...wish)),
    ...createReads(db, runtime.clock),
    onBlock: facts.onBlock,
    onOrphan: facts.onOrphan,
    enabled: async () => (await db.query(readSwitch))[0]!,
    async setEnabled(enabled, reason) {
      await db.query(writeSwitch, [enabled, reason])
    },
    bars,
    wake: settle.wake,
    loops: [settle, finish],
  }
}
