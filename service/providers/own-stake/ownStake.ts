import type { HexAddress } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import { assert } from '../../kernel/index.ts'
import type { Signing } from '../../signing/index.ts'
import type { Provider } from '../provider.ts'
import { energyOf, stakeFor, type Totals } from './stake.ts'

/** Half of an order's two minutes: dead bytes must be provably dead before its deadline. */
const LIFE_MS = 60_000

type Pool = { owner: HexAddress; free: bigint }

/** Energy from stake of our own: a delegation that we build, have signed and broadcast ourselves. */
export function createOwnStake(deps: {
  chain: Chain
  signing: Signing
  unitPrice(): Promise<bigint>
}): Provider {
  const { chain, signing, unitPrice } = deps
  // Read and replaced as one: totals without their pools would look like a stake without room.
  let seen: { totals: Totals; pools: Pool[] } | undefined

  async function readPools() {
    const owners = await signing.addresses('stake')
    const [first] = owners
    assert(first, 'the signer has published no stake address yet')
    const resource = await chain.node.getAccountResource(first)
    assert(resource, `stake account ${first} is not on the chain`)
    const { totalEnergyLimit, totalEnergyWeight } = resource
    const pools = await Promise.all(
      owners.map(async (owner) => ({
        owner,
        free: await chain.node.getCanDelegatedMaxSize(owner, 'ENERGY'),
      })),
    )
    const totals = { energyLimit: totalEnergyLimit, energyWeight: totalEnergyWeight }
    seen = { totals, pools }
    return seen
  }

  /** The stake with most room; what is on its way is taken off until the next reading. */
  function takeFrom(pools: Pool[], stake: bigint): Pool | undefined {
    const [best] = pools.toSorted((a, b) => Number(b.free - a.free))
    if (!best || best.free < stake) return undefined
    best.free -= stake
    return best
  }

  return {
    name: 'own_stake',
    async readOffer() {
      const { pools, totals } = await readPools()
      const free = pools.reduce((sum, pool) => sum + pool.free, 0n)
      return { unitPrice: await unitPrice(), capacity: energyOf(free, totals) }
    },
    async prepare(tx, { receiver, energy }) {
      const { pools, totals } = seen ?? (await readPools())
      const stake = stakeFor(energy, totals)
      const pool = takeFrom(pools, stake)
      if (!pool) return { state: 'refused', reason: 'own stake has no room' }
      const value = {
        owner_address: pool.owner,
        receiver_address: receiver,
        resource: 'ENERGY' as const,
        balance: stake,
      }
      const contract = { type: 'DelegateResourceContract' as const, value }
      const ground = await chain.ground()
      const want = { purpose: 'delegate' as const, contract, ground, lifeMs: LIFE_MS }
      const { id, txid, expiresAt } = await signing.ask(tx, want)
      return { state: 'prepared', txid, signingRequest: id, expiresAt, stake, owner: pool.owner }
    },
  }
}
