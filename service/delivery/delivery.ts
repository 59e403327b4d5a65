import type { BlockFacts, Chain, OrphanedBlock } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Doors, type Log, type Loop } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import { createConcluding } from './conclude.ts'
import { createPlacing } from './place.ts'
import { costOf, type PlannedPart, planParts } from './plan.ts'
import { createReclaiming } from './reclaim.ts'
import { createRedelivering } from './redeliver.ts'
import type { DeliveryRequest, OnOutcome } from './request.ts'
import { createStanding, type Standing } from './standing/standing.ts'
import {
  insertParts,
  insertRequests,
  orphanDelegations,
  recordDelegations,
  recordReclaims,
} from './store.ts'

export type Delivery = {
  /** What the cheapest plan would cost us now, in SUN; undefined when it cannot be filled. */
  costOf(energy: bigint): bigint | undefined
  /** A purchase was accepted: its Energy is no longer on offer. */
  takeOff(energy: bigint): void
  /** Opens requests with their parts, in the asker's transaction. */
  open(tx: Tx, requests: readonly DeliveryRequest[]): Promise<void>
  /** Facts of a block: what was delegated and what came back. */
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
  standing: Standing
  wake(): void
  loops: Loop[]
}

export function createDelivery(deps: {
  db: Db
  doors: Doors
  log: Log
  chain: Chain
  signing: Signing
  providers: Providers
  onOutcome: readonly OnOutcome[]
  /** The level of some standing Energy may have changed. */
  onStanding(): void
}): Delivery {
  const { doors, log, providers, signing } = deps
  const placing = createPlacing(deps)
  const concluding = createConcluding(deps)
  const reclaiming = createReclaiming(deps)
  const standing = createStanding({ ...deps, onChange: deps.onStanding })

  const plan = (energy: bigint) => planParts(providers.offers(), energy)

  /** With nothing on offer the part is still written: its provider then refuses, and the order is refunded. */
  function planOrFallBack(energy: bigint): PlannedPart[] {
    return plan(energy) ?? [{ provider: 'own_stake', energy, cost: 0n }]
  }

  async function open(tx: Tx, requests: readonly DeliveryRequest[]): Promise<void> {
    const column = <T>(pick: (request: DeliveryRequest) => T) => requests.map(pick)
    await tx.query(insertRequests, [
      column((r) => r.id),
      column((r) => r.receiver),
      column((r) => r.energy),
      column((r) => r.durationSeconds),
      column((r) => r.deadlineAt),
      column((r) => r.trace),
      doors.clock.now(),
    ])
    const parts = requests.flatMap((request) =>
      planOrFallBack(request.energy).map((part) => ({ request: request.id, ...part })),
    )
    await tx.query(insertParts, [
      parts.map(() => doors.ids.next()),
      parts.map((part) => part.request),
      parts.map((part) => part.provider),
      parts.map((part) => part.energy),
    ])
  }

  const redelivering = createRedelivering({ ...deps, open })

  const place = createLoop({
    name: 'delivery.place',
    everyMs: 250,
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
  const conclude = createLoop({
    name: 'delivery.conclude',
    everyMs: 250,
    log,
    work: concluding.concludeAll,
  })
  const reclaim = createLoop({
    name: 'delivery.reclaim',
    everyMs: 1_000,
    log,
    async work() {
      const asked = await reclaiming.reclaimDue()
      if (asked > 0) signing.wake()
      const again = await redelivering.redeliverLost()
      if (again > 0) place.wake()
      return asked + again
    },
  })

  return {
    costOf(energy) {
      const parts = plan(energy)
      return parts && costOf(parts)
    },
    takeOff(energy) {
      for (const part of plan(energy) ?? []) providers.takeOff(part.provider, part.energy)
    },
    open,
    async onBlock(tx, block) {
      const { number, time, delegations } = block
      const txidsOf = (kind: string) =>
        delegations.flatMap((delegation) => (delegation.kind === kind ? delegation.txid : []))
      const delegated = txidsOf('delegate')
      const returned = txidsOf('undelegate')
      if (delegated.length > 0) await tx.query(recordDelegations, [delegated, number, time])
      if (returned.length > 0) await tx.query(recordReclaims, [returned, number, time])
      await standing.onBlock(tx, block)
    },
    async onOrphan(tx, block) {
      await tx.query(orphanDelegations, [block.number])
      await standing.onOrphan(tx, block)
    },
    standing,
    wake() {
      standing.wake()
      place.wake()
      conclude.wake()
      reclaim.wake()
    },
    loops: [place, conclude, reclaim, standing.loop],
  }
}
