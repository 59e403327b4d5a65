import type { StakeUses } from '../../providers/index.ts'
import { lastCounted, readLent, readUses } from './store.ts'

/** An hour of blocks: a receipt that no node has does not keep the others from being counted. */
const UNREAD_BLOCKS_MAX = 1_200

/** What became of own stake: Energy delegated for orders, and the fees of its transactions. */
export const stakeUses: StakeUses = {
  countedUpTo: async (tx, solid) =>
    (await tx.query(lastCounted, [solid, UNREAD_BLOCKS_MAX]))[0]!.block,
  between: (tx, after, upto) => tx.query(readUses, [after, upto]),
  lent: (tx) => tx.query(readLent),
}
