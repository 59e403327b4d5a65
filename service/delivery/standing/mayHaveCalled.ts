import type { HexAddress, NodeClient } from '@ergon/tron'
import { vmCallerOf } from '../../chain/index.ts'

/** As many blocks as a node gives at once. Of more that are not read yet nothing is said. */
const BLOCKS_MAX = 100

/** Whether an address may have called a contract in blocks that the node has and we have not read. */
export function createMayHaveCalled(node: NodeClient) {
  return async (address: HexAddress, first: number, last: number): Promise<boolean> => {
    const count = last - first + 1
    if (count <= 0) return false
    if (count > BLOCKS_MAX) return true
    const unread = await node.getBlocksByLimitNext(first, last + 1)
    const calls = unread.flatMap(({ transactions }) => transactions.map(vmCallerOf))
    return unread.length < count || calls.includes(address)
  }
}
