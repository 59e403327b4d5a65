import type { DecodedBlock, NodeClient, TransactionInfo } from '@ergon/tron'
import { groupsOf } from '../kernel/index.ts'
import { type FetchedBlock, vmCallerOf } from './block.ts'

/** The node returned a block without its receipts: retry. */
export class ReceiptsMissing extends Error {
  override name = 'ReceiptsMissing'
}

/** Below the 100 blocks of getblockbylimitnext, so that ranges can be fetched in parallel. */
const RANGE = 25
const RANGES_AT_ONCE = 4
const RECEIPTS_AT_ONCE = 8

/** The blocks after the given height, in order: the head if it is next, else ranges. */
export async function fetchAfter(
  node: NodeClient,
  height: number,
  known?: DecodedBlock,
): Promise<FetchedBlock[]> {
  const head = known ?? (await node.getNowBlock())
  // No new block: the caller compares the head with its own.
  if (head.number <= height) return [{ ...head, infos: [] }]
  if (head.number === height + 1) return withReceipts(node, [head])
  const starts = rangeStarts(height + 1, head.number)
  const ranges = await Promise.all(
    starts.map((start) =>
      node.getBlocksByLimitNext(start, Math.min(start + RANGE, head.number + 1)),
    ),
  )
  return withReceipts(node, contiguous(ranges.flat()))
}

/** Blocks first to last, at most 100; undefined when a lagging node lacks some of them. */
export async function fetchBlocks(
  node: NodeClient,
  first: number,
  last: number,
): Promise<FetchedBlock[] | undefined> {
  const blocks = await node.getBlocksByLimitNext(first, last + 1)
  if (blocks.length !== last - first + 1) return undefined
  try {
    return await withReceipts(node, blocks)
  } catch (error) {
    if (error instanceof ReceiptsMissing) return undefined
    throw error
  }
}

function rangeStarts(first: number, last: number): number[] {
  const count = Math.min(RANGES_AT_ONCE, Math.ceil((last - first + 1) / RANGE))
  return Array.from({ length: count }, (_, index) => first + index * RANGE)
}

/** Keeps the connected part of ranges that may come from several nodes. */
function contiguous(blocks: DecodedBlock[]): DecodedBlock[] {
  const cut = blocks.findIndex((block, index) => {
    const before = blocks[index - 1]
    return before !== undefined && block.parentId !== before.id
  })
  return cut === -1 ? blocks : blocks.slice(0, cut)
}

async function withReceipts(node: NodeClient, blocks: DecodedBlock[]): Promise<FetchedBlock[]> {
  const fetched: FetchedBlock[] = []
  for (const some of groupsOf(blocks, RECEIPTS_AT_ONCE)) {
    fetched.push(...(await Promise.all(some.map((block) => addReceipts(node, block)))))
  }
  return fetched
}

/** Only contract calls have receipts that tell more than the block does. */
async function addReceipts(node: NodeClient, block: DecodedBlock): Promise<FetchedBlock> {
  const calls = block.transactions.some((one) => vmCallerOf(one) !== undefined)
  if (!calls) return { ...block, infos: [] }
  const infos = await node.getTransactionInfosByBlockNum(block.number)
  return { ...block, infos: inPlace(block, infos) }
}

function inPlace({ transactions, number, id }: DecodedBlock, infos: TransactionInfo[]) {
  // Fast path: nodes return receipts in the order of the block.
  if (transactions.every(({ txId }, place) => infos[place]?.id === txId)) return infos
  const byId = new Map(infos.map((info) => [info.id, info]))
  return transactions.map(({ txId }) => {
    const info = byId.get(txId)
    // A lagging node returns none, and after a reorganisation those of another block.
    if (!info) throw new ReceiptsMissing(`receipts of block ${number} are not those of ${id}`)
    return info
  })
}
