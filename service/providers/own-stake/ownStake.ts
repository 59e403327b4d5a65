import { buildTransaction, type HexAddress } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import { assert, type Doors } from '../../kernel/index.ts'
import type { Signing } from '../../signing/index.ts'
import type { PartToPlace, Prepared, Provider } from '../provider.ts'
import {
  dropInFlight,
  forgetStakes,
  landInFlight,
  lockStakes,
  returnInFlight,
  stakeInFlight,
  writeInFlight,
  writeStakes,
} from '../store.ts'
import { energyOf, stakeFor, type Totals } from './stake.ts'

/** Half of an order's two minutes: dead bytes must be provably dead before its deadline. */
const LIFE_MS = 60_000

type Pool = { owner: HexAddress; free: bigint; totals: Totals }

type Deps = {
  db: Db
  doors: Doors
  chain: Chain
  signing: Signing
  unitPrice(): Promise<bigint>
}

/** Energy from stake of our own: a delegation that we build, have signed and broadcast ourselves. */
export function createOwnStake(deps: Deps): Provider {
  const { db, chain, unitPrice } = deps
  // A transaction that holds the stakes need not lock and add up again for its next part.
  const held = new WeakMap<Tx, Pool[]>()

  /** The stakes with what is left of them, locked until the transaction ends. */
  async function poolsOf(tx: Tx): Promise<Pool[]> {
    const known = held.get(tx)
    if (known) return known
    const stakes = await tx.query(lockStakes)
    const inFlight = new Map((await tx.query(stakeInFlight)).map((row) => [row.owner, row.stake]))
    const pools = stakes.map(({ owner, free, energyLimit, energyWeight }) => ({
      owner,
      free: free - (inFlight.get(owner) ?? 0n),
      totals: { energyLimit, energyWeight },
    }))
    held.set(tx, pools)
    return pools
  }

  /** Asks the chain what each stake can delegate, and forgets what that reading knows by itself. */
  async function readStakes(): Promise<void> {
    const owners = await deps.signing.addresses('stake')
    const [first] = owners
    assert(first, 'the signer has published no stake address yet')
    // Before the question: whatever block the node answers from, it is not older than this. Before
    // the first block is read nothing is in flight.
    const at = (await chain.progress()) ?? { number: 0, solidTime: new Date(0) }
    const resource = await chain.node.getAccountResource(first)
    assert(resource, `stake account ${first} is not on the chain`)
    const free = await Promise.all(
      owners.map((owner) => chain.node.getCanDelegatedMaxSize(owner, 'ENERGY')),
    )
    const { totalEnergyLimit, totalEnergyWeight } = resource
    await db.transaction(async (tx) => {
      await tx.query(lockStakes)
      await tx.query(writeStakes, [owners, free, totalEnergyLimit, totalEnergyWeight, at.number])
      await tx.query(forgetStakes, [owners])
      await tx.query(dropInFlight, [at.number, at.solidTime])
    })
  }

  return {
    name: 'own_stake',
    async readOffer() {
      await readStakes()
      const pools = await db.transaction(poolsOf)
      const capacity = pools.reduce((sum, pool) => sum + roomOf(pool), 0n)
      return { unitPrice: await unitPrice(), capacity, minimum: 0n }
    },
    async prepare(tx, part, { silent } = { silent: false }) {
      const pools = await poolsOf(tx)
      const [best] = pools.toSorted((a, b) => (a.free < b.free ? 1 : a.free > b.free ? -1 : 0))
      if (!best) return { state: 'refused', reason: 'own stake has not been read yet', room: 0n }
      const stake = stakeFor(part.energy, best.totals)
      if (best.free < stake) {
        return { state: 'refused', reason: 'own stake has no room', room: roomOf(best) }
      }
      if (silent) return pretend(deps, part, best.owner, stake)
      best.free -= stake
      return delegate(deps, tx, part, { owner: best.owner, stake })
    },
    async onBlock(tx, { number, delegations }) {
      const landed = delegations.flatMap(({ kind, txid }) => (kind === 'delegate' ? txid : []))
      if (landed.length > 0) await tx.query(landInFlight, [landed, number])
    },
    async onOrphan(tx, { number }) {
      await tx.query(returnInFlight, [number])
    },
  }
}

async function delegate(
  { chain, signing }: Deps,
  tx: Tx,
  { receiver, energy }: PartToPlace,
  { owner, stake }: { owner: HexAddress; stake: bigint },
): Promise<Prepared> {
  const contract = delegation(owner, receiver, stake)
  const ground = await chain.ground()
  const want = { purpose: 'delegate' as const, contract, ground, lifeMs: LIFE_MS }
  const { id, txid, expiresAt } = await signing.ask(tx, want)
  await tx.query(writeInFlight, [txid, owner, stake, expiresAt])
  return { state: 'prepared', txid, signingRequest: id, expiresAt, stake, owner, energy }
}

/** A delegation that looks like any other and that nobody will ever sign. */
async function pretend(
  { chain, doors }: Deps,
  { receiver, energy }: PartToPlace,
  owner: HexAddress,
  stake: bigint,
): Promise<Prepared> {
  const { solidId, headTime } = await chain.ground()
  const timestamp = headTime.getTime() + 3_000 + Math.floor(doors.random.fraction() * 3_000_000)
  const { txId: txid } = buildTransaction(delegation(owner, receiver, stake), {
    headBlock: { id: solidId, timestamp: headTime.getTime() },
    timestamp,
    expirationMs: LIFE_MS,
  })
  const expiresAt = new Date(headTime.getTime() + LIFE_MS)
  const signingRequest = doors.ids.next()
  return { state: 'prepared', txid, signingRequest, expiresAt, stake, owner, energy }
}

function delegation(owner: HexAddress, receiver: HexAddress, stake: bigint) {
  const value = {
    owner_address: owner,
    receiver_address: receiver,
    resource: 'ENERGY' as const,
    balance: stake,
  }
  return { type: 'DelegateResourceContract' as const, value }
}

/** What one delegation out of this stake can carry, with the margin that `stakeFor` adds. */
function roomOf({ free, totals }: Pool): bigint {
  if (free <= 0n) return 0n
  const energy = (energyOf(free, totals) * 1_000n) / 1_001n - 1n
  return energy > 0n ? energy : 0n
}
