import type { Chain } from '@ergon/devnet'
import { decodeTransaction, parseAddress } from '@ergon/tron'
import { SANDBOX_HOT_ADDRESS } from '../../service/main/sandboxNetwork.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { brokenCalls, brokenCoverage, uncovered } from './coverage.ts'
import { brokenResale, unsold } from './resale.ts'
import type { Simulation } from './simulation.ts'

/** A delegation as the chain itself has it, on the branch that stands. */
type Delegated = { txid: string; block: number; timeMs: number; kind: 'delegate' | 'undelegate' }

function delegationsOf(chain: Chain): Delegated[] {
  const found: Delegated[] = []
  for (let number = 1; number <= chain.head.number; number++) {
    const block = chain.block(number)!
    for (const [index, bytes] of block.transactions.entries()) {
      const { type } = decodeTransaction(bytes).raw.contract
      const isDelegate = type === 'DelegateResourceContract'
      if (!isDelegate && type !== 'UnDelegateResourceContract') continue
      const kind = isDelegate ? 'delegate' : 'undelegate'
      found.push({ txid: block.txids[index]!, block: number, timeMs: block.timestamp, kind })
    }
  }
  return found
}

/** Of an order, or of the redelivery of a delegation that a reorganisation took (`replaces`). */
type AttemptRow = {
  txid: string
  replaces: string | null
  order: string
  status: string
  part: string
  endedAt: Date
  deadlineAt: Date
  reclaimTxid: string | null
}

const attemptsOf = (sim: Simulation) =>
  sim.database.sql<AttemptRow>(`
    select a.txid, r.id as "order", coalesce(o.status, 'REDELIVERY') as status, p.id as part,
           coalesce(o.updated_at, r.deadline_at) as "endedAt", r.deadline_at as "deadlineAt",
           d.reclaim_txid as "reclaimTxid", lost.txid as replaces
      from delivery.attempt a
      join delivery.part p on p.id = a.part_id
      join delivery.request r on r.id = p.request_id
      left join orders.purchase_order o on o.id = r.id
      left join delivery.delegation d on d.txid = a.txid
      left join delivery.delegation lost on lost.redelivered_by = r.id
     where a.txid is not null
     order by a.txid`)

/** What must be true at every moment. */
export async function brokenNow(sim: Simulation): Promise<string[]> {
  const books = await brokenInvariants(sim.database as never)
  if (books.length > 0) return books
  const attempts = await attemptsOf(sim)
  const moves = await sim.database.sql<{ txid: string }>(`select txid from delivery.standing_move`)
  const standing = new Set(moves.map(({ txid }) => txid))
  const onChain = delegationsOf(sim.world.chain).filter(({ txid }) => !standing.has(txid))
  return [
    ...brokenEnergy(sim, attempts, onChain),
    ...(await brokenFinality(sim)),
    ...(await brokenCoverage(sim)),
  ]
}

/** Energy is delegated once for one price, and a price that was given back early bought none. */
function brokenEnergy(sim: Simulation, attempts: AttemptRow[], onChain: Delegated[]): string[] {
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
      broken.push(`the chain has a delegation ${txid} that no attempt knows`)
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

/** The attempt of the order itself, which a redelivery stands in for. */
function firstOf(attempt: AttemptRow, byTxid: ReadonlyMap<string, AttemptRow>): AttemptRow {
  const before = attempt.replaces === null ? undefined : byTxid.get(attempt.replaces)
  return before ? firstOf(before, byTxid) : attempt
}

/** Energy that was paid for stays its hour. */
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
/** A reorganisation moves a block's time by a little, and clocks differ. */
const TOLERANCE_MS = 60_000

/** A verified deposit stands on the chain, and stays there. */
async function brokenFinality(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ txid: string }>(
    `select txid from deposits.deposit where verified_at is not null order by txid`,
  )
  const gone = rows.filter(({ txid }) => !isOnChain(sim.world.chain, txid))
  return gone.map(({ txid }) => `deposit ${txid} is verified and not on the chain`)
}

function isOnChain(chain: Chain, txid: string): boolean {
  const found = chain.transaction(txid)
  return found !== undefined && found.block.number <= chain.head.number
}

/** What is still under way although the faults are over. */
export async function unfinished(
  sim: Simulation,
  what: 'orders and deposits' | 'reclaims',
): Promise<string[]> {
  const { chain, sent } = sim.world
  const rows = await sim.database.sql<{ what: string }>(`
    select 'order ' || id || ' is ' || status as what from orders.purchase_order
     where status not in ('COMPLETED', 'FAILED')
    union all
    select 'deposit ' || txid || ' is ' || status from deposits.deposit
     where verified_at is null and status <> 'reverted'
    union all
    select 'broadcast ' || txid || ' is pending' from chain.broadcast where state = 'pending'
    union all
    select 'delivery ' || id || ' is open' from delivery.request where state = 'open'
    union all
    select 'sweep ' || txid || ' is under way' from deposits.sweep where state = 'open'`)
  const left = rows.map((row) => row.what)
  const verified = await sim.database.sql(
    `select from deposits.deposit where verified_at is not null`,
  )
  const standing = sent.filter(({ txid }) => isOnChain(chain, txid))
  if (standing.length !== verified.length) {
    left.push(`${standing.length} transfers stand and ${verified.length} deposits are verified`)
  }
  if (what === 'reclaims') {
    const out = await sim.database.sql<{ txid: string }>(
      `select txid from delivery.delegation where reclaimed_at is null and block_number is not null`,
    )
    left.push(...out.map(({ txid }) => `delegation ${txid} is not taken back`))
  }
  left.push(...(await uncovered(sim, what === 'reclaims')), ...(await unsold(sim)))
  return left
}

/** What only the world knows, when everything has come to its end. */
export async function brokenAtEnd(sim: Simulation): Promise<string[]> {
  return [
    ...(await brokenDeliveries(sim)),
    ...(await brokenTreasury(sim)),
    ...(await brokenPromises(sim)),
    ...(await brokenCalls(sim)),
    ...(await brokenResale(sim)),
  ]
}

async function brokenDeliveries(sim: Simulation): Promise<string[]> {
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

/** TRX on our addresses is what the ledger says is there, to the SUN. */
async function brokenTreasury(sim: Simulation): Promise<string[]> {
  const { chain } = sim.world
  const { tables } = chain.viewAt(chain.head.number)
  const balance = (address: string) => tables.accounts.get(parseAddress(address)!)?.balance ?? 0n
  const ours = await sim.database.sql<{ address: string }>(`select address from addresses.address`)
  const deposits = ours.reduce((sum, { address }) => sum + balance(address), 0n)
  const held = { 'asset:deposit_addresses': deposits, 'asset:hot': balance(SANDBOX_HOT_ADDRESS) }
  const broken: string[] = []
  for (const [asset, onChain] of Object.entries(held)) {
    const [row] = await sim.database.sql<{ booked: string }>(
      `select coalesce(sum(case when debit = $1 then amount_sun else -amount_sun end), 0)::text as booked
         from ledger.movement where $1 in (debit, credit)`,
      [asset],
    )
    if (onChain !== BigInt(row!.booked)) {
      broken.push(`the chain has ${onChain} SUN as ${asset}, the ledger says ${row!.booked}`)
    }
  }
  return broken
}

/** A purchase that a client was told of is there, under its key, with the bytes it was told. */
async function brokenPromises(sim: Simulation): Promise<string[]> {
  const broken: string[] = []
  for (const { account, key, body } of sim.acknowledged) {
    const { order_id } = JSON.parse(body) as { order_id: string }
    const [order] = await sim.database.sql<{ account: string; response: string | null }>(
      `select o.account_id as account, k.response
         from orders.purchase_order o
         left join orders.idempotency_key k on k.order_id = o.id and k.key = $2
        where o.id = $1`,
      [order_id, key ?? null],
    )
    if (order?.account !== account) broken.push(`order ${order_id} was acknowledged and is gone`)
    else if (key !== undefined && order.response !== body) {
      broken.push(`order ${order_id} was acknowledged in other words: ${order.response}`)
    }
  }
  return broken
}
