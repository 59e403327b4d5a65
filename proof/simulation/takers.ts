import { type MarketplaceName, marketplaceKeys, type Order } from '@ergon/devnet'
import { isOnChain } from './energy.ts'
import type { Life } from './scheduler.ts'
import type { Simulation } from './simulation.ts'

// Sellers take Energy back before its hour is over, as a whole or in two steps.

const BYTES_DIE_MS = 60_000

type Sold = { name: MarketplaceName; order: Order }

/** Without faults most orders are delivered: so often it looks in vain before it leaves, before its first one and later. */
const LOOKS = { first: 14, later: 3 }

/** Takes the Energy of orders back, as a whole or in two steps. */
export async function runTaker(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  for (let done = 0, looks = 0; done < acts && looks < (done > 0 ? LOOKS.later : LOOKS.first); ) {
    await sim.rest(life)
    const lent = lentBy(sim)
    if (sim.isCalm) looks += 1
    if (lent.length === 0) continue
    done += 1
    looks = 0
    const sold = random.pick(lent)
    const left = leftOf(sim, sold.order)
    take(sim, sold, random.once(3) && left > 1_000n ? left / 2n : left)
  }
  // Nobody else takes the rest of these back after the hour.
  for (let left = lostOrders(sim); left.length > 0; left = lostOrders(sim)) {
    for (const sold of left)
      if (leftOf(sim, sold.order) > 0n) take(sim, sold, leftOf(sim, sold.order))
    await sim.rest(life)
  }
}

/** Orders whose Energy is on its address, as far as the seller knows. */
function lentBy(sim: Simulation): Sold[] {
  return sim.markets!.orders().filter(({ order }) => {
    const { delegatedAt, delegation, reclaim } = order
    if (delegatedAt === undefined || !delegation || reclaim) return false
    return isOnChain(sim.world.chain, delegation.txid) && leftOf(sim, order) > 0n
  })
}

/** Stake of an order that its seller has not taken back; what expired in no block was not taken. */
function leftOf({ takings, world }: Simulation, order: Order): bigint {
  const { chain, nowMs } = world
  const counts = takings.filter(
    (one) => one.order === order && (isOnChain(chain, one.txid) || nowMs < one.atMs + BYTES_DIE_MS),
  )
  return counts.reduce((left, { stake }) => left - stake, order.delegation!.stake)
}

/** Of which something was taken, and not all of it is in a block. */
function lostOrders(sim: Simulation): Sold[] {
  const { takings, world } = sim
  const touched = new Set(takings.map(({ order }) => order))
  return sim.markets!.orders().filter(({ order }) => {
    if (!touched.has(order)) return false
    const mined = takings.filter((one) => one.order === order && isOnChain(world.chain, one.txid))
    return mined.reduce((left, { stake }) => left - stake, order.delegation!.stake) > 0n
  })
}

function take(sim: Simulation, { name, order }: Sold, balance: bigint): void {
  const key = marketplaceKeys[name]
  const value = { owner_address: key.address, receiver_address: order.receiver, balance }
  const type = 'UnDelegateResourceContract' as const
  const txid = sim.world.act({ type, value: { ...value, resource: 'ENERGY' } }, key)
  // The stand-in does nothing more with it.
  order.closed = true
  sim.takings.push({ order, name, txid, stake: balance, atMs: sim.world.nowMs })
  sim.trace(`${name} takes ${balance} SUN of order ${order.id} back by ${txid}`)
}
