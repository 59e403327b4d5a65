import { parseAddress } from '@ergon/tron'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { brokenBuying, brokenPurchases, unbought } from './bought.ts'
import { brokenCalls, brokenCoverage, uncovered } from './coverage.ts'
import { brokenDeadlines, brokenDeliveries, brokenEnergy, isOnChain } from './energy.ts'
import { brokenFloats, unsettled } from './floats.ts'
import { brokenRedelivery } from './redelivery.ts'
import { brokenResale, unsold } from './resale.ts'
import { brokenBudgets } from './savers.ts'
import type { Simulation } from './simulation.ts'
import { brokenStakeBooks, brokenStakes, undone } from './stakers.ts'
import { brokenTaking, brokenTakings, undecided } from './takings.ts'
import { brokenGifts } from './thieves.ts'
import { brokenWholesale, unpaid } from './wholesalers.ts'

/** Invariants that hold at every moment. */
export async function brokenNow(sim: Simulation): Promise<string[]> {
  // Before the auditor: these go by the world outside alone, and the auditor's may not be all that finds a mistake.
  const outside = [
    ...(await brokenWholesale(sim)),
    ...(await brokenRedelivery(sim)),
    ...(await brokenTaking(sim)),
    ...(await brokenBudgets(sim)),
  ]
  if (outside.length > 0) return outside
  const books = await brokenInvariants(sim.database as never)
  if (books.length > 0) return books
  return [
    ...(await brokenEnergy(sim)),
    ...(await brokenDeadlines(sim)),
    ...(await brokenFinality(sim)),
    ...(await brokenCredit(sim)),
    ...(await brokenReading(sim)),
    ...(await brokenDemand(sim)),
    ...(await brokenCoverage(sim)),
    ...(await brokenBuying(sim)),
    ...(await brokenStakes(sim)),
    ...(await brokenFloats(sim)),
  ]
}

/** A verified deposit is in the chain and stays there. */
async function brokenFinality(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ txid: string }>(
    `select txid from deposits.deposit where verified_at is not null order by txid`,
  )
  const gone = rows.filter(({ txid }) => !isOnChain(sim.world.chain, txid))
  return gone.map(({ txid }) => `deposit ${txid} is verified and not on the chain`)
}

/** Spendable money that is not final stays within the limits of each account and of the service. */
async function brokenCredit({ database, limits }: Simulation): Promise<string[]> {
  const rows = await database.sql<{ account: string; amount: string }>(
    `select account_id as account, sum(amount_sun)::text as amount from deposits.deposit
      where posted and verified_at is null group by account_id order by account_id`,
  )
  const { account: most, service, uncounted } = limits
  const above = rows.filter(({ amount }) => BigInt(amount) > most)
  const broken = above.map(({ account, amount }) => `account ${account} is lent ${amount} SUN`)
  const counted = rows.map(({ amount }) => BigInt(amount) - uncounted)
  const lent = counted.reduce((sum, part) => (part > 0n ? sum + part : sum), 0n)
  if (lent > service) broken.push(`the service lends ${lent} SUN before finality, of ${service}`)
  return broken
}

/** Every deposit in a block that we have read has its row. */
async function brokenReading({ database, world }: Simulation): Promise<string[]> {
  const { chain, sent } = world
  const blocks = await database.sql<{ id: string }>(
    `select b.id from chain.block b join chain.cursor c on b.number <= c.number where b.on_chain`,
  )
  const read = new Set(blocks.map(({ id }) => id))
  const rows = await database.sql<{ txid: string }>(`select txid from deposits.deposit`)
  const known = new Set(rows.map(({ txid }) => txid))
  const overlooked = sent.filter(({ txid }) => {
    const found = isOnChain(chain, txid) ? chain.transaction(txid) : undefined
    return found && read.has(found.block.id) && !known.has(txid)
  })
  return overlooked.map(
    ({ txid }) => `deposit ${txid} is in a block that was read, and is not there`,
  )
}

/** A request makes at most one order, and a refused request none, whatever failed meanwhile. */
async function brokenDemand({ database, refused }: Simulation): Promise<string[]> {
  const rows = await database.sql<{ trace: string; orders: string[] }>(
    `select trace, array_agg(id::text order by id) as orders from orders.purchase_order
      where source = 'api'
      group by trace having count(*) > 1 or trace = any ($1) order by trace`,
    [refused],
  )
  return rows.map(({ trace, orders }) => {
    const answer = refused.includes(trace) ? 'was refused and' : 'was asked for once and'
    return `${trace} ${answer} made ${orders.join(' and ')}`
  })
}

/** Work that is still open although the faults have ended. */
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
  left.push(...(await unbought(sim)), ...(await undone(sim)), ...(await unsettled(sim)))
  left.push(...(await unpaid(sim)), ...(await undecided(sim)))
  return left
}

/** Invariants that need the chain's own view, when all work has ended. */
export async function brokenAtEnd(sim: Simulation): Promise<string[]> {
  return [
    ...(await brokenDeliveries(sim)),
    ...(await brokenTreasury(sim)),
    ...(await brokenPromises(sim)),
    ...(await brokenCalls(sim)),
    ...(await brokenResale(sim)),
    ...(await brokenPurchases(sim)),
    ...(await brokenGifts(sim)),
    ...(await brokenStakeBooks(sim)),
    ...(await brokenTakings(sim)),
  ]
}

/** The TRX at our addresses equals the ledger's total, to the SUN. */
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

/** A purchase that was acknowledged exists under its key, with the bytes of the first answer. */
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
