import { type HexAddress, toHex } from '@ergon/tron'
import type { Chain, FetchedBlock } from '../../chain/index.ts'
import type { StandingRow } from './store.ts'
import type { Account } from './stray.ts'

/** Blocks that one question to the node asks for. */
const RANGE = 25
/** An hour. A reclaim that takes longer was held up by us, and what is older stays unknown. */
const BLOCKS_MAX = 1_200n
/** As far back as a node may have lagged at the last look; the times of the blocks decide. */
const LAG_BLOCKS = 10n
/** Five minutes. */
const SHORT_BLOCKS = 100n
const ORIGINS_MAX = 10_000

/**
 * Energy that others took from an address by calls of its contracts, from the last look to the block
 * of the reclaim. A receipt says what the deployer paid; the node says who that is.
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

  /** Undefined when the node cannot tell yet. */
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
 * Blocks in which others may have taken Energy of ours that was not judged. A short stay is read from
 * its beginning, and corrects what was judged: many of them would else add up what looks overlook.
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

/** What others took in a span, less what was judged of it before. */
export function unjudged({ judged }: Span, taken: bigint): bigint {
  return taken > judged ? taken - judged : 0n
}
