import { decodeTransaction, toBase58 } from '@ergon/tron'
import type { Simulation } from './simulation.ts'
import { walletsOf } from './subscribers.ts'

// Checks AutoEnergy against the chain: every call that used our Energy was billed once, is owed, or
// was free by the rule; nothing else was billed.

const SMALL_MAX = 65_000n
const LEVEL = 131_000n
const ENERGY_PRICE = 100n
const DAY_MS = 24 * 3_600_000

type Class = '65k' | '131k' | 'free'
type CallRow = {
  txid: string
  state: string
  class: string | null
  price: string
  charged: string
  charges: number
}

/** Invariants that hold at every moment, besides the auditor's. */
export async function brokenCoverage(sim: Simulation): Promise<string[]> {
  const { chain } = sim.world
  const rows = await sim.database.sql<{ broken: string }>(
    `
    select 'standing Energy of ' || address || ' has two moves under way' as broken
      from delivery.standing_move where state = 'sent'
     group by address, owner_address having count(*) > 1
    union all
    select 'subscription ' || id || ' is ' || status || ' and reserves ' || reserved_sun
      from autoenergy.subscription where status <> 'closed' and paused_until is null and reserved_sun <> unit_price_131k_sun
    union all
    select 'subscription ' || subscription_id || ' paid for days at ' || before || ' and ' || at
      from (select c.subscription_id, c.at, lag(c.at) over (partition by c.subscription_id order by c.at) as before
              from autoenergy.charge c
             where c.kind <> 'autoenergy_unit' and c.amount_sun > 0
               and not exists (select from autoenergy.charge r
                                where r.kind = c.kind and r.reference = c.reference and r.amount_sun < 0)) days
     where at - before < make_interval(secs => $1 / 1000.0)
    union all
    -- Not the day that a reactivation pays with its request.
    select 'subscription ' || s.id || ' closed at ' || s.closed_at || ' and paid for the day that begins at ' || c.at
      from autoenergy.subscription s
      join autoenergy.charge c on c.subscription_id = s.id and c.activation = s.activation
     where c.kind = 'autoenergy_daily' and c.amount_sun > 0 and c.at >= s.closed_at and c.at <> s.requested_at
    union all
    select 'day ' || reference || ' was charged before a solid block had reached ' || at
      from (select c.*, row_number() over (partition by c.subscription_id, c.activation order by c.at) as place
              from autoenergy.charge c where c.kind = 'autoenergy_daily' and c.amount_sun > 0) c
     -- The first day of a reactivation is charged with the request.
     where at > $2 and (activation = 1 or place > 1)`,
    [DAY_MS - sim.world.rates.skewMs * 2, new Date(chain.block(chain.solidNumber)!.timestamp)],
  )
  return rows.map(({ broken }) => broken)
}

/** Invariants that hold when all work has ended. */
export async function brokenCalls(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<CallRow>(`
    select c.txid, c.state, c.energy_class as class, c.billed_sun as price,
           coalesce(sum(b.amount_sun), 0)::text as charged,
           (count(b.id) filter (where b.amount_sun > 0))::int as charges
      from autoenergy.call c
      left join autoenergy.charge b on b.kind = 'autoenergy_unit' and b.reference = c.txid
     group by c.txid order by c.txid`)
  const byTxid = new Map(rows.map((row) => [row.txid, row]))
  return sim.world.called.flatMap(({ txid }) => {
    const row = byTxid.get(txid)
    const broken = row && brokenMoney(row)
    if (broken) return [`call ${txid} ${broken}`]
    const fault = brokenFate(sim, txid, row)
    return fault ? [`call ${txid} ${fault}`] : []
  })
}

function brokenMoney({ state, price, charged, charges }: CallRow): string | undefined {
  if (charges > 1) return `was charged ${charges} times`
  const due = state === 'billed' ? price : '0'
  return charged === due ? undefined : `is ${state} for ${due} SUN and was charged ${charged}`
}

function brokenFate(sim: Simulation, txid: string, row: CallRow | undefined): string | undefined {
  const { chain } = sim.world
  const found = chain.transaction(txid)
  const stands = found !== undefined && found.block.number <= chain.head.number
  const state = row?.state ?? 'unknown to us'
  if (!stands) {
    const isLet = state === 'unknown to us' || state === 'reversed' || state === 'ignored'
    return isLet ? undefined : `is not on the chain and is ${state}`
  }
  const receipt = receiptOf(found.info)
  const isOurs = receipt.usage > 0n && hadEnergyBefore(sim, txid, found.block.number)
  if (state === 'billed' || state === 'owed' || state === 'free') {
    if (receipt.usage === 0n) return `is ${state} and took no Energy`
    const rule = classBy(receipt)
    const mine = state === 'free' ? 'free' : row!.class
    return rule === mine ? undefined : `is ${state} as ${mine} and is ${rule} by its receipt`
  }
  return isOurs ? `took Energy of ours in block ${found.block.number} and is ${state}` : undefined
}

type Receipt = { result: string; usage: bigint; size: bigint; burned: bigint }

function receiptOf(info: unknown): Receipt {
  const { receipt = {} } = info as { receipt?: Record<string, unknown> }
  const big = (name: string) => BigInt((receipt[name] as number | undefined) ?? 0)
  return {
    result: String(receipt.result),
    usage: big('energy_usage'),
    size: big('energy_usage_total'),
    burned: big('energy_fee'),
  }
}

/**
 * The lowest fee limit that subscribers set. A call that runs out of Energy below it was stopped by
 * us.
 */
const FEE_LIMIT_LEAST = 3_000_000n

/** The contract's rule, written a second time. */
function classBy({ result, size, burned }: Receipt): Class {
  if (result === 'OUT_OF_ENERGY' && size < FEE_LIMIT_LEAST / ENERGY_PRICE) return 'free'
  const isSmall = size <= SMALL_MAX
  if (size <= LEVEL && burned > 0n) return isSmall ? 'free' : '65k'
  return isSmall ? '65k' : '131k'
}

/** Whether a block before the call's shows a delegation of ours on its address. */
function hadEnergyBefore(sim: Simulation, txid: string, block: number): boolean {
  const from = sim.world.called.find((call) => call.txid === txid)!.from
  return standingOf(sim, from, block - 1) > 0n
}

/** Our stake on the address after a block. */
function standingOf({ world }: Simulation, address: string, upTo: number): bigint {
  let stake = 0n
  for (let number = 1; number <= upTo; number++) {
    for (const bytes of world.chain.block(number)!.transactions) {
      const { type, value } = decodeTransaction(bytes).raw.contract
      if (type === 'DelegateResourceContract' && value.receiver_address === address) {
        stake += value.balance
      } else if (type === 'UnDelegateResourceContract' && value.receiver_address === address) {
        stake -= value.balance
      }
    }
  }
  return stake
}

/** AutoEnergy work that is still open although the faults have ended. */
export async function uncovered(sim: Simulation, isOver: boolean): Promise<string[]> {
  const rows = await sim.database.sql<{ what: string }>(
    `
    select 'subscription ' || id || ' is ' || status as what from autoenergy.subscription
     where status = 'pending_activation' or (status = 'closed' and live) or ($1 and live)
    union all
    select 'account ' || id || ' has a reserve of ' || reserved_sun from ledger.account where $1 and reserved_sun <> 0
    union all
    select 'call ' || txid || ' is ' || state || ' and not final' from autoenergy.call where not final
    union all
    select 'standing move ' || txid || ' is under way' from delivery.standing_move where state in ('sent', 'orphaned')`,
    [isOver],
  )
  const left = rows.map(({ what }) => what)
  if (!isOver) return left
  const { number } = sim.world.chain.head
  for (const { address } of walletsOf(sim)) {
    const stake = standingOf(sim, address, number)
    if (stake !== 0n) left.push(`${stake} SUN of stake are still on ${toBase58(address)}`)
  }
  return left
}
