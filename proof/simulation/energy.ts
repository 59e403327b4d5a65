import type { Chain } from '@ergon/devnet'
import { decodeTransaction } from '@ergon/tron'
import type { Simulation } from './simulation.ts'

// Checks the Energy of our own stakes against the chain.

/** A delegation on the chain's current branch. */
type Delegated = { txid: string; block: number; timeMs: number; kind: 'delegate' | 'undelegate' }

/** Delegations of our own stakes. */
function delegationsOf(chain: Chain, others: readonly string[]): Delegated[] {
  const found: Delegated[] = []
  for (let number = 1; number <= chain.head.number; number++) {
    const block = chain.block(number)!
    for (const [index, bytes] of block.transactions.entries()) {
      const { type, value } = decodeTransaction(bytes).raw.contract
      const isDelegate = type === 'DelegateResourceContract'
      if (!isDelegate && type !== 'UnDelegateResourceContract') continue
      if (others.includes(value.owner_address)) continue
      const kind = isDelegate ? 'delegate' : 'undelegate'
      found.push({ txid: block.txids[index]!, block: number, timeMs: block.timestamp, kind })
    }
  }
  return found
}

/**
 * An attempt of an order, or of the redelivery of a delegation that a reorganisation removed
 * (`replaces`).
 */
type AttemptRow = {
  txid: string
  replaces: string | null
  order: string
  status: string
  part: string
  endedAt: Date
  deadlineAt: Date
  /** What this attempt delegates, and what its order asked for. */
  energy: string
  wanted: string
  reclaimTxid: string | null
}

const attemptsOf = (sim: Simulation) =>
  sim.database.sql<AttemptRow>(`
    select a.txid, r.id as "order", coalesce(o.status, 'REDELIVERY') as status, p.id as part,
           coalesce(o.updated_at, r.deadline_at) as "endedAt", r.deadline_at as "deadlineAt",
           d.reclaim_txid as "reclaimTxid", lost.txid as replaces, a.energy::text, r.energy::text as wanted
      from delivery.attempt a
      join delivery.part p on p.id = a.part_id
      join delivery.request r on r.id = p.request_id
      left join orders.purchase_order o on o.id = r.id
      left join delivery.delegation d on d.txid = a.txid
      left join delivery.delegation lost on lost.redelivered_by = r.id
     where a.txid is not null
     order by a.txid`)

/** Energy is delegated once for one price, and a refunded order has none. */
export async function brokenEnergy(sim: Simulation): Promise<string[]> {
  const attempts = await attemptsOf(sim)
  const moves = await sim.database.sql<{ txid: string }>(`select txid from delivery.standing_move`)
  const standing = new Set(moves.map(({ txid }) => txid))
  const others = sim.markets?.owners() ?? []
  const onChain = delegationsOf(sim.world.chain, others).filter(({ txid }) => !standing.has(txid))
  const broken: string[] = []
  const byTxid = new Map(attempts.map((attempt) => [attempt.txid, attempt]))
  const partsServed = new Map<string, string>()
  const reclaims = new Map(attempts.map((attempt) => [attempt.reclaimTxid, attempt]))
  for (const { txid, kind, timeMs } of onChain) {
    if (kind === 'undelegate') {
      broken.push(...brokenReclaim(reclaims.get(txid), onChain, { txid, timeMs }))
      continue
    }
    const attempt = byTxid.get(txid)
    if (!attempt) {
      broken.push(`the chain has a delegation ${txid} without an attempt`)
      continue
    }
    const { part, order } = firstOf(attempt, byTxid)
    const other = partsServed.get(part)
    if (other) broken.push(`order ${order} was delivered twice: ${other} and ${txid}`)
    partsServed.set(part, txid)
    const skewMs = sim.world.rates.skewMs * 2
    const endedEarly = attempt.endedAt.getTime() + skewMs < attempt.deadlineAt.getTime()
    if (attempt.status === 'FAILED' && endedEarly) {
      broken.push(
        `order ${attempt.order} was refunded before its deadline and has Energy by ${txid}`,
      )
    }
  }
  return broken
}

/** How long an order may wait for the block that proves its end. */
const UNREAD_MS_MAX = 600_000

/** An order is not refunded while the Energy it bought is in a block from before the deadline. */
export async function brokenDeadlines(sim: Simulation): Promise<string[]> {
  const { chain, reorganisations } = sim.world
  // Another branch may hold the delegation in an earlier block than the first branch did.
  if (reorganisations > 0) return []
  const refunded = (await attemptsOf(sim)).filter(({ status, endedAt, deadlineAt }) => {
    return status === 'FAILED' && endedAt.getTime() < deadlineAt.getTime() + UNREAD_MS_MAX
  })
  const inTime = refunded.filter(({ txid, deadlineAt }) => {
    const found = isOnChain(chain, txid) ? chain.transaction(txid) : undefined
    return found !== undefined && found.block.timestamp <= deadlineAt.getTime()
  })
  return [...Map.groupBy(inTime, ({ order }) => order)].flatMap(([order, attempts]) => {
    const delegated = attempts.reduce((sum, { energy }) => sum + BigInt(energy), 0n)
    if (delegated < BigInt(attempts[0]!.wanted)) return []
    return [`order ${order} was refunded, and all of its Energy was delegated before its deadline`]
  })
}

/** The attempt of the order itself, which a redelivery replaces. */
function firstOf(attempt: AttemptRow, byTxid: ReadonlyMap<string, AttemptRow>): AttemptRow {
  const before = attempt.replaces === null ? undefined : byTxid.get(attempt.replaces)
  return before ? firstOf(before, byTxid) : attempt
}

/** Energy that was paid for is not reclaimed before its hour is over. */
function brokenReclaim(
  attempt: AttemptRow | undefined,
  onChain: Delegated[],
  reclaim: { txid: string; timeMs: number },
): string[] {
  if (attempt?.status !== 'COMPLETED') return []
  const given = onChain.find(({ txid }) => txid === attempt.txid)
  if (!given) return [`reclaim ${reclaim.txid} took back what was never on this branch`]
  const ms = reclaim.timeMs - given.timeMs
  return ms < HOUR_MS - TOLERANCE_MS ? [`order ${attempt.order} had its Energy for ${ms} ms`] : []
}

const HOUR_MS = 3_600_000
/** A reorganisation changes a block's time slightly, and clocks differ. */
const TOLERANCE_MS = 60_000

export function isOnChain(chain: Chain, txid: string): boolean {
  const found = chain.transaction(txid)
  return found !== undefined && found.block.number <= chain.head.number
}

/** Invariants that hold when all work has ended. */
export async function brokenDeliveries(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ id: string; txids: string[] }>(
    `select id, delegation_txids as txids from orders.purchase_order where status = 'COMPLETED' order by id`,
  )
  const attempts = await attemptsOf(sim)
  const stands = (txid: string): boolean =>
    isOnChain(sim.world.chain, txid) ||
    attempts.some((attempt) => attempt.replaces === txid && stands(attempt.txid))
  return rows.flatMap(({ id, txids }) =>
    txids
      .filter((txid) => !stands(txid))
      .map((txid) => `order ${id} is COMPLETED and its delegation ${txid} is not on the chain`),
  )
}
