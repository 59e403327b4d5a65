import { earlyMs } from './behaviour.ts'
import type { Delegator } from './delegator.ts'
import { energyToDelegate, type Order } from './order.ts'

const hourMs = 3_600_000

/** Wall time and the head block's time, in milliseconds. */
type Now = { wall: number; chain: number }

/** One step of an order's life, taken when it is due. */
export async function fulfil(order: Order, delegator: Delegator, now: Now): Promise<void> {
  if (order.state === 'paid') await begin(order, delegator, now)
  else if (order.state === 'sent') await confirm(order, delegator, now)
  else if (!order.closed) await takeBack(order, delegator, now)
}

async function begin(order: Order, delegator: Delegator, now: Now): Promise<void> {
  if (now.wall < order.notBefore.wall) return
  if (order.behaviour === 'late' && now.chain < order.notBefore.chain) return
  order.delegation = await delegator.delegation(order.receiver, energyToDelegate(order))
  if (order.behaviour === 'lost_delegation') {
    // Real bytes with a real id, which are never sent.
    order.state = 'done'
    close(order)
    return
  }
  await delegator.send(order.delegation)
  order.state = 'sent'
}

/** In a block it is done. Expired without one, it is made anew: a marketplace does not give up. */
async function confirm(order: Order, delegator: Delegator, now: Now): Promise<void> {
  const { txid, expiresAt } = order.delegation!
  const includedAt = await delegator.includedAt(txid)
  if (includedAt === undefined) {
    if (now.chain > expiresAt) order.state = 'paid'
    return
  }
  order.delegatedAt = includedAt
  order.state = order.behaviour === 'partial' ? 'ended' : 'done'
}

/** After the hour, earlier by the script, or when the client gives it back. */
async function takeBack(order: Order, delegator: Delegator, now: Now): Promise<void> {
  if (order.reclaim) {
    const isBack = (await delegator.includedAt(order.reclaim.txid)) !== undefined
    if (isBack) close(order)
    if (isBack || now.chain <= order.reclaim.expiresAt) return
  }
  const keptMs = order.behaviour === 'taken_back' ? earlyMs : hourMs
  if (now.chain >= order.delegatedAt! + keptMs) {
    order.reclaim = await delegator.reclaim(order.delegation!)
  }
}

function close(order: Order): void {
  order.closed = true
  if (order.room && order.delegatedAt !== undefined) order.room.left += order.energy
}
