import type { NodeClient } from '@ergon/tron'
import { groupsOf } from '../../kernel/index.ts'
import type { ToBookRow } from '../../signing/index.ts'

/** A finding in a solid block. */
export type Found = ToBookRow
/** A finding with the fee of its receipt. */
export type Paid = Found & { fee: bigint }

const ASKED_AT_ONCE = 8

/** One request for each block, and not for each transaction. A node without the receipt ends the run. */
export function createFeeReader(node: NodeClient) {
  return {
    async of(found: readonly Found[]): Promise<Paid[]> {
      const blocks = [...new Set(found.map(({ block }) => block))]
      const fees = new Map<string, bigint>()
      for (const some of groupsOf(blocks, ASKED_AT_ONCE)) {
        const read = some.map((block) => node.getTransactionInfosByBlockNum(Number(block)))
        for (const { id, fee } of (await Promise.all(read)).flat()) fees.set(id, fee)
      }
      return found.map((one) => {
        const fee = fees.get(one.txid)
        if (fee === undefined) throw new Error(`The node has no receipt of ${one.txid} yet.`)
        return { ...one, fee }
      })
    },
  }
}
