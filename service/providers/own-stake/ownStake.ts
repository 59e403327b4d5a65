import { buildTransaction, type HexAddress, toBase58 } from '@ergon/tron'
import type { Chain, Ground } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import type { Signing, SigningRequest } from '../../signing/index.ts'
import {
  type How,
  NothingToOffer,
  type PartToPlace,
  type Piece,
  type Prepared,
  type Provider,
} from '../provider.ts'
import {
  dropInFlight,
  forgetStakes,
  landInFlight,
  lockStakes,
  returnInFlight,
  stakeInFlight,
  writeInFlight,
  writeStakes,
} from './ownStake.sql.ts'
import { energyOf, stakeFor, type Totals } from './stake.ts'

/** Half of an order's two minutes, so that expired bytes are provably dead before its deadline. */
const LIFE_MS = 60_000

type Pool = { owner: HexAddress; free: bigint; totals: Totals }

type Deps = {
  db: Db
  runtime: Runtime
  chain: Chain
  signing: Signing
  /** SUN per Energy now. */
  unitPrice(totals: Totals): Promise<bigint>
  /** Energy that is sold and not placed yet. */
  promised(): Promise<bigint>
}

/** Energy from our own stake, by delegations that we build, sign and broadcast. */
export function createOwnStake(deps: Deps): Provider {
  const { db, chain, unitPrice } = deps
  // Cached per transaction, so that the next part need not lock and sum again.
  const held = new WeakMap<Tx, Pool[]>()

  /** The stakes with their free amounts, locked until the transaction ends. */
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

  /** Reads the free amount of each stake from the chain, and drops pending delegations that it includes. */
  async function readStakes(): Promise<Totals> {
    const owners = await deps.signing.addresses('stake')
    const [first] = owners
    if (!first) throw new NothingToOffer('No signer has published a stake yet; start the signer.')
    // Read before asking the node, whose answer is not older than this block. Before the first block
    // nothing is pending.
    const at = (await chain.progress()) ?? { number: 0, solidTime: new Date(0) }
    const resource = await chain.node.getAccountResource(first)
    if (!resource) {
      throw new NothingToOffer(
        `The stake ${toBase58(first)} is not on the chain yet: send TRX to it and stake them for Energy.`,
      )
    }
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
    return { energyLimit: totalEnergyLimit, energyWeight: totalEnergyWeight }
  }

  return {
    name: 'own_stake',
    async readOffer() {
      // In this order (waiting, pending, chain) Energy that moves on meanwhile is counted twice for a
      // moment, and never missed.
      const promised = await deps.promised()
      const totals = await readStakes()
      const pools = await db.transaction(poolsOf)
      const capacity = pools.reduce((sum, pool) => sum + roomOf(pool), 0n) - promised
      return {
        unitPrice: await unitPrice(totals),
        capacity: capacity < 0n ? 0n : capacity,
        minimum: 0n,
      }
    },
    async prepare(tx, parts, how = {}) {
      const ground = await chain.ground(LIFE_MS)
      if (!ground) return parts.map(() => ({ state: 'later', reason: 'no block is new enough' }))
      const pools = await poolsOf(tx)
      const shared = parts.map((part) => shareOut(pools, part, how))
      const drafts = shared.flatMap((one) => (one.state === 'shared' ? one.drafts : []))
      const made = how.silent
        ? pretend(deps, ground, drafts)
        : await delegate(deps, tx, ground, drafts)
      return shared.map((one) =>
        one.state === 'shared'
          ? { state: 'prepared', pieces: made.splice(0, one.drafts.length) }
          : one,
      )
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

type Draft = Pick<Piece, 'owner' | 'stake' | 'share' | 'energy'> & { receiver: HexAddress }

type Shared = { state: 'shared'; drafts: Draft[] } | Extract<Prepared, { state: 'refused' }>

/** Shares a part among stakes, the one with the most capacity first. */
function shareOut(pools: Pool[], { receiver, energy: wanted }: PartToPlace, how: How): Shared {
  if (pools.length === 0) {
    return { state: 'refused', reason: 'own stake has not been read yet', room: 0n }
  }
  const room = pools.reduce((sum, pool) => sum + roomOf(pool), 0n)
  if (room < wanted) return { state: 'refused', reason: 'own stake has no room', room }
  const drafts: Draft[] = []
  let left = wanted
  for (const pool of pools.toSorted(byFree)) {
    const most = roomOf(pool)
    const share = most < left ? most : left
    if (share === 0n) break
    const energy = how.half ? (share + 1n) / 2n : share
    const stake = stakeFor(energy, pool.totals)
    if (!how.silent) pool.free -= stake
    drafts.push({ owner: pool.owner, receiver, stake, share, energy })
    left -= share
  }
  return { state: 'shared', drafts }
}

function byFree(a: Pool, b: Pool): number {
  return a.free < b.free ? 1 : a.free > b.free ? -1 : 0
}

async function delegate(
  { signing }: Deps,
  tx: Tx,
  ground: Ground,
  drafts: readonly Draft[],
): Promise<Piece[]> {
  if (drafts.length === 0) return []
  const wants = drafts.map(({ owner, receiver, stake }) => {
    const contract = delegation(owner, receiver, stake)
    return { purpose: 'delegate' as const, contract, ground, lifeMs: LIFE_MS }
  })
  const asked = await signing.askAll(tx, wants)
  await tx.query(writeInFlight, [
    asked.map(({ txid }) => txid),
    drafts.map(({ owner }) => owner),
    drafts.map(({ stake }) => stake),
    asked.map(({ expiresAt }) => expiresAt),
  ])
  return drafts.map((draft, place) => pieceOf(draft, asked[place]!))
}

/** Delegations that are never signed, for scripted faults of the sandbox. */
function pretend({ runtime }: Deps, ground: Ground, drafts: readonly Draft[]): Piece[] {
  const { solidId, headTime } = ground
  const headBlock = { id: solidId, timestamp: headTime.getTime() }
  const expiresAt = new Date(headTime.getTime() + LIFE_MS)
  return drafts.map((draft) => {
    const timestamp = headTime.getTime() + 3_000 + Math.floor(runtime.random.fraction() * 3_000_000)
    const contract = delegation(draft.owner, draft.receiver, draft.stake)
    const { txId } = buildTransaction(contract, { headBlock, timestamp, expirationMs: LIFE_MS })
    return pieceOf(draft, { id: runtime.ids.next(), txid: txId, expiresAt })
  })
}

function pieceOf({ owner, stake, share, energy }: Draft, asked: SigningRequest): Piece {
  const { id: signingRequest, txid, expiresAt } = asked
  return { txid, signingRequest, expiresAt, stake, owner, share, energy }
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

/** Energy that one delegation from this stake can carry, with the margin of `stakeFor`. */
function roomOf({ free, totals }: Pool): bigint {
  if (free <= 0n) return 0n
  const energy = (energyOf(free, totals) * 1_000n) / 1_001n - 1n
  return energy > 0n ? energy : 0n
}
