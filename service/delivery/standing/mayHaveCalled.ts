import type { HexAddress, NodeClient } from '@ergon/tron'
import { vmCallerOf } from '../../chain/index.ts'

/** As many blocks as a node gives at once. */
const RANGE = 100
/** Of more that are not read yet nothing is said: we are too far behind to begin anything. */
const BLOCKS_MAX = 1_000

/** Whether an address may have called a contract in blocks that the node has and we have not read. */
export function createMayHaveCalled(node: NodeClient) {
  return async (address: HexAddress, first: number, last: number): Promise<boolean> => {
    if (last - first >= BLOCKS_MAX) return true
    for (let from = first; from <= last; from += RANGE) {
      const end = Math.min(from + RANGE, last + 1)
      const blocks = await node.getBlocksByLimitNext(from, end)
      const callers = blocks.flatMap(({ transactions }) => transactions.map(vmCallerOf))
      if (blocks.length < end - from || callers.includes(address)) return true
    }
    return false
  }
}
