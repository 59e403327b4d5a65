import { type DecodedBlock, decodeBlock } from './decodedBlock.ts'
import { list, object } from './jsonFields.ts'
import type { NodePool } from './nodePool.ts'
import { decodeTransactionInfo } from './transactionInfo.ts'
import { DecodeError } from './wire.ts'

// getblockbylimitnext answers {} to a longer range, which would look like "no such blocks".
const blocksMax = 100
// The field of a transaction; a block's own timestamp is in milliseconds, or the block is refused.
const unread = 'timestamp'

/** Blocks and transactions. An answer about another object than the requested one is malformed. */
export function chainReads(pool: NodePool) {
  return {
    getNowBlock: async () =>
      (await pool.read({
        path: 'wallet/getnowblock',
        body: {},
        unread,
        decode: decodeBlock,
        headTimeOf: (block) => block.timestamp,
      })) as DecodedBlock,

    getSolidBlock: async () =>
      (await pool.read({
        path: 'walletsolidity/getnowblock',
        body: {},
        unread,
        decode: decodeBlock,
        solidTimeOf: (block) => block.timestamp,
      })) as DecodedBlock,

    getBlockByNum: (num: number) =>
      pool.find('wallet/getblockbynum', { num }, (json) => expectNumber(decodeBlock(json), num)),

    /** Undefined above the node's solid block. */
    getSolidBlockByNum: (num: number) =>
      pool.find('walletsolidity/getblockbynum', { num }, (json) =>
        expectNumber(decodeBlock(json), num),
      ),

    /** Blocks start to end − 1, as far as they exist; in order and without a gap. */
    getBlocksByLimitNext: async (start: number, end: number) => {
      if (!(start >= 0 && end > start && end - start <= blocksMax)) {
        throw new RangeError(`not a range of at most ${blocksMax} blocks: ${start} to ${end}`)
      }
      const body = { startNum: start, endNum: end }
      const decode = (json: unknown) => {
        const blocks = list(object(json, 'blocks').block ?? [], 'block').map(decodeBlock)
        blocks.forEach((block, i) => void expectNumber(block, start + i))
        return blocks.length === 0 ? undefined : blocks
      }
      return (await pool.read({ path: 'wallet/getblockbylimitnext', body, unread, decode })) ?? []
    },

    /** In block order. Compare the count with the block's: a lagging node answers []. */
    getTransactionInfosByBlockNum: async (num: number) => {
      const path = 'wallet/gettransactioninfobyblocknum'
      const decodeAll = (json: unknown) =>
        list(json, 'infos').map((one) => {
          const info = decodeTransactionInfo(one)
          if (info.blockNumber !== num) throw new DecodeError('info of another block')
          return info
        })
      return (await pool.find(path, { num }, decodeAll)) ?? []
    },

    // Not gettransactionbyid: it shows what is only pending, with ret SUCCESS.
    getTransactionInfoById: (txId: string) =>
      pool.find('wallet/gettransactioninfobyid', { value: txId }, expectInfo(txId)),

    getSolidTransactionInfo: (txId: string) =>
      pool.find('walletsolidity/gettransactioninfobyid', { value: txId }, expectInfo(txId)),
  }
}

function expectNumber(block: DecodedBlock, number: number): DecodedBlock {
  if (block.number !== number) throw new DecodeError(`block ${block.number} instead of ${number}`)
  return block
}

function expectInfo(txId: string) {
  return (json: unknown) => {
    const info = decodeTransactionInfo(json)
    if (info.id !== txId) throw new DecodeError('info of another transaction')
    return info
  }
}
