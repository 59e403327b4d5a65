import { type HexAddress, toHex } from '@ergon/tron'
import type { Chain, FetchedBlock } from '../../chain/index.ts'
import type { StandingRow } from './store.ts'
import type { Account } from './stray.ts'

/** Blocks per request to the node. */
const RANGE = 25
/** An hour. If a reclaim took longer, older use stays unknown. */
const BLOCKS_MAX = 1_200n
/** How far the node may have lagged at the last reading; block times decide. */
const LAG_BLOCKS = 10n
/** Five minutes. */
const SHORT_BLOCKS = 100n
const ORIGINS_MAX = 10_000

/**
 * Energy that others used of an address by calling its contracts, from the last reading to the block of
 * the reclaim. A receipt holds the deployer's part; the node knows the deployer.
 */
export function createOthersUse({ node, blocks }: Pick<Chain, 'node' | 'blocks'>) {
  const origins = new Map<HexAddress, HexAddress | undefined>()

  async function originOf(contract: HexAddress): Promise<HexAddress | undefined> {
    if (origins.has(contract)) return origins.get(contract)
    if (origins.size >= ORIGINS_MAX) origins.clear()
    const origin = (await node.getContract(contract))?.originAddress
    origins.set(contract, origin)
    return origin
  }

  async function takenIn(block: FetchedBlock, address: HexAddress): Promise<bigint> {
    let taken = 0n
    for (const { contractAddress, receipt } of block.infos) {
      const { originEnergyUsage } = receipt
      if (originEnergyUsage === 0n || contractAddress === undefined) continue
      if ((await originOf(contractAddress)) === address) taken += originEnergyUsage
    }
    return taken
  }

  /** Undefined when the node does not have the blocks yet. */
  return async (row: StandingRow): Promise<bigint | undefined> => {
    const span = spanOf(row)
    let taken = 0n
    if (!span) return 0n
    for (let from = span.first; from <= span.last; from += RANGE) {
      const last = Math.min(from + RANGE - 1, span.last)
      const some = await blocks(from, last)
      if (!some) return undefined
      for (const block of some) {
        if (block.timestamp > span.afterMs) taken += await takenIn(block, toHex(row.address))
      }
    }
    return unjudged(span, taken)
  }
}

type Stay = Pick<Account, 'beganBlock' | 'judged' | 'judgedBlock' | 'judgedAt'> & {
  reclaimedBlock: bigint | null
}

type Span = { first: number; last: number; afterMs: number; judged: bigint }

/**
 * Blocks in which others may have used Energy that is not counted yet. A short stay is read from its
 * beginning and corrects the count: otherwise many short stays would add up unnoticed use.
 */
export function spanOf({ beganBlock, judgedBlock, reclaimedBlock: last, ...stay }: Stay) {
  if (beganBlock === null || judgedBlock === null || !stay.judgedAt) return undefined
  if (last === null || last <= beganBlock) return undefined
  const isShort = last - beganBlock <= SHORT_BLOCKS
  const late = [judgedBlock - LAG_BLOCKS, last - BLOCKS_MAX]
  const first = [beganBlock, ...(isShort ? [] : late)].reduce((a, b) => (a > b ? a : b)) + 1n
  const span: Span = { first: Number(first), last: Number(last), afterMs: 0, judged: stay.judged }
  return isShort ? span : { ...span, afterMs: stay.judgedAt.getTime(), judged: 0n }
}

/** Others' use in a span, less the part that is already counted. */
export function unjudged({ judged }: Span, taken: bigint): bigint {
  return taken > judged ? taken - judged : 0n
}
