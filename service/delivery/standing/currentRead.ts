import type { HexAddress } from '@ergon/tron'
import { type Chain, vmCallerOf } from '../../chain/index.ts'

/** As many blocks as a node gives at once. */
const RANGE = 100
/** Of more that are not read yet nothing is said: we are too far behind to begin anything. */
const BLOCKS_MAX = 1_000

/**
 * Asks the node for something, and whether its answer has every block that we had read and no call of
 * the address that we had not.
 */
export function createCurrentRead({ node, progress }: Pick<Chain, 'node' | 'progress'>) {
  async function hasUnreadCall(address: HexAddress, first: number, last: number) {
    if (last - first >= BLOCKS_MAX) return true
    for (let from = first; from <= last; from += RANGE) {
      const end = Math.min(from + RANGE, last + 1)
      const blocks = await node.getBlocksByLimitNext(from, end)
      const callers = blocks.flatMap(({ transactions }) => transactions.map(vmCallerOf))
      if (blocks.length < end - from || callers.includes(address)) return true
    }
    return false
  }

  return async <T>(address: HexAddress, ask: () => Promise<T>) => {
    const read = await progress()
    const before = await node.getNowBlock()
    const answer = await ask()
    const after = await node.getNowBlock()
    const isCurrent =
      read !== undefined &&
      before.number >= read.number &&
      !(await hasUnreadCall(address, read.number + 1, after.number))
    return { answer, isCurrent }
  }
}
