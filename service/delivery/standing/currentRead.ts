import type { HexAddress } from '@ergon/tron'
import { type Chain, vmCallerOf } from '../../chain/index.ts'

/** Most blocks that a node returns at once. */
const RANGE = 100
/** With more unread blocks the reading counts as not current: we are too far behind. */
const BLOCKS_MAX = 1_000

/**
 * Reads from the node, and checks that its answer includes every block that we had read and no call of
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
