import type { Devnet } from '@ergon/devnet'
import { buildTransaction, type Contract, type HexAddress, sign } from '@ergon/tron'
import type {
  Behaviour,
  MarketOrder,
  Marketplace,
  Placed,
  Seen,
} from '../../service/providers/index.ts'

/** A marketplace that a test controls. */
export type FakeMarketplace = Marketplace & {
  /** `mute` delegates and never answers; `unsure` has several matching orders. */
  behaviour: Behaviour | 'mute' | 'unsure'
  unitPrice: bigint
  capacity: bigint
  minimum: bigint
  /** References in the order they were placed. The same reference twice is a bug of ours. */
  placed: string[]
  givenBack: string[]
  /** What it charges, by its own account: orders with the stake that it delegated for each. */
  statement(): { energy: bigint; unitPrice: bigint; stake: bigint }[]
  /** Delegates the orders it held back. */
  deliverLate(): void
  /** Takes stake back from an address, whatever it was for; by default what an order of 65,000 Energy got. */
  takeBack(receiver: HexAddress, stake?: bigint): string
  stakeFor(energy: bigint): bigint
  /** Delegates without an order. */
  delegate(receiver: HexAddress, energy: bigint): string
}

type Order = {
  want: MarketOrder
  txids: string[]
  held: boolean
  half: boolean
  lost: boolean
}

const SUN_PER_ENERGY = 100_000n

/** Its stake comes from one of the devnet's funded keys. */
export function fakeMarketplace(
  devnet: Devnet,
  { name, key, unitPrice = 10n }: { name: string; key: number; unitPrice?: bigint },
): FakeMarketplace {
  const { chain } = devnet
  const owner = chain.network.funded[key]!
  const orders = new Map<string, Order>()
  let sent = 0

  function send(contract: Contract): string {
    sent += 1
    const timestamp = chain.head.timestamp + sent
    const built = buildTransaction(contract, { headBlock: chain.head, timestamp })
    const { txId: txid, raw, rawBytes } = built
    chain.broadcast({ txid, raw, rawBytes, signatures: [sign(txid, owner.privateKey)] })
    return txid
  }

  const owner_address = owner.address
  const value = { owner_address, frozen_balance: 500_000_000_000n, resource: 'ENERGY' as const }
  send({ type: 'FreezeBalanceV2Contract', value })
  chain.mine()

  // Slightly more than the ratio requires, as real marketplaces delegate.
  const stakeFor = (energy: bigint) => energy * SUN_PER_ENERGY + 100_000_000n
  const partOf = ({ want, half }: Order) => (half ? want.energy / 2n : want.energy)

  function delegate(receiver_address: HexAddress, energy: bigint): string {
    const balance = stakeFor(energy)
    const given = { owner_address, receiver_address, resource: 'ENERGY' as const, balance }
    return send({ type: 'DelegateResourceContract', value: given })
  }

  function takeBack(receiver_address: HexAddress, balance = stakeFor(65_000n)): string {
    const given = { owner_address, receiver_address, resource: 'ENERGY' as const, balance }
    return send({ type: 'UnDelegateResourceContract', value: given })
  }

  const seen = ({ want, txids, held, half, lost }: Order): Seen => {
    const orderId = `o-${want.reference}`
    if (lost) return { state: 'delivered', orderId, txids: ['ab'.repeat(32)] }
    if (held) return { state: 'pending', orderId }
    if (half) return { state: 'failed', orderId, txids, reason: 'ended after a half' }
    return { state: 'delivered', orderId, txids, cost: want.energy * want.unitPrice }
  }

  const fake: FakeMarketplace = {
    name,
    behaviour: 'ok',
    unitPrice,
    capacity: 4_000_000n,
    minimum: 0n,
    queueMs: 0,
    callsPerSecond: 50,
    placed: [],
    givenBack: [],
    delegate,
    takeBack,
    stakeFor,
    async readOffer() {
      if (fake.behaviour === 'down') throw new Error('down')
      const { unitPrice, capacity, minimum } = fake
      return { unitPrice, capacity, minimum }
    },
    async place(want): Promise<Placed> {
      fake.placed.push(want.reference)
      const { behaviour } = fake
      if (behaviour === 'fail') return { state: 'refused', reason: 'not today' }
      const lost: Placed = { state: 'unknown', reason: 'timed out' }
      if (['timeout_before_accept', 'down', 'unsure'].includes(behaviour)) return lost
      const [held, half] = [behaviour === 'late', behaviour === 'partial']
      const gone = behaviour === 'lost_delegation'
      const energy = half ? want.energy / 2n : want.energy
      const txids = held || gone ? [] : [delegate(want.receiver, energy)]
      orders.set(want.reference, { want, txids, held, half, lost: gone })
      if (behaviour === 'timeout_after_accept' || behaviour === 'mute') return lost
      return { state: 'accepted', orderId: `o-${want.reference}`, txids: [] }
    },
    async lookUp({ reference }): Promise<Seen> {
      const { behaviour } = fake
      if (behaviour === 'unsure') return { state: 'ambiguous', orderIds: ['o-1', 'o-2'] }
      if (behaviour === 'mute' || behaviour === 'down') return { state: 'unknown', reason: 'mute' }
      const order = orders.get(reference)
      return order ? seen(order) : { state: 'never_seen' }
    },
    statement: () =>
      [...orders.values()].flatMap((order) => {
        const { energy, unitPrice } = order.want
        const stake = order.txids.length > 0 ? stakeFor(partOf(order)) : 0n
        return stake > 0n ? [{ energy, unitPrice, stake }] : []
      }),
    async reclaim(orderId) {
      fake.givenBack.push(orderId)
    },
    deliverLate() {
      for (const order of orders.values()) {
        if (!order.held) continue
        order.held = false
        order.txids.push(delegate(order.want.receiver, order.want.energy))
      }
    },
  }
  return fake
}
