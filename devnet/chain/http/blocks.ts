import type { Block } from '../blockStore.ts'
import { hashOrder } from './hashOrder.ts'
import { blockJson, infoJson, pooledJson, storedTransactionJson } from './render.ts'
import type { Context, Endpoint } from './request.ts'

const getNowBlock: Endpoint = {
  path: 'getnowblock',
  methods: 'GET POST',
  solidity: true,
  bodyless: true,
  run: ({ chain, sight, params }) => blockJson(chain.block(sight.top)!, params),
}

/** Without id_or_num the newest block; TronWeb builds every transaction on this call. */
const getBlock: Endpoint = {
  path: 'getblock',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const { params, sight } = context
    const wanted = params.strictText('id_or_num')
    const form = { visible: params.visible, detail: params.boolean('detail') }
    if (wanted === undefined || wanted === '') return blockJson(seen(context, sight.top)!, form)
    if (/^-?\d{1,18}$/.test(wanted)) {
      const number = Number(wanted)
      if (number < 0) return { Error: 'num must be non-positive number.' }
      return printBlock(seen(context, number), form)
    }
    if (!/^[0-9a-fA-F]{64}$/.test(wanted)) return { Error: 'id must be legal block hash.' }
    return printBlock(byId(context, wanted), form)
  },
}

const getBlockByNum: Endpoint = {
  path: 'getblockbynum',
  methods: 'GET POST',
  solidity: true,
  run: (context) => printBlock(seen(context, context.params.integer('num')), context.params),
}

const getBlockById: Endpoint = {
  path: 'getblockbyid',
  methods: 'GET POST',
  solidity: true,
  run: (context) => printBlock(byId(context, context.params.hex('value')), context.params),
}

const rangeMax = 100n

const getBlockByLimitNext: Endpoint = {
  path: 'getblockbylimitnext',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const [start, end] = [context.params.integer('startNum'), context.params.integer('endNum')]
    if (end <= 0n || start < 0n || end <= start || end - start > rangeMax) return {}
    return printBlocks(context, Number(start), Number(end))
  },
}

const getBlockByLatestNum: Endpoint = {
  path: 'getblockbylatestnum',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const count = context.params.integer('num')
    if (count <= 0n || count >= rangeMax) return {}
    const end = context.sight.top + 1
    return printBlocks(context, Math.max(0, end - Number(count)), end)
  },
}

const getTransactionById: Endpoint = {
  path: 'gettransactionbyid',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const { chain, sight, params } = context
    const found = included(context)
    if (found) return storedTransactionJson(found.bytes, params.visible)
    const pooled = sight.pending ? chain.pool.get(params.hex('value')) : undefined
    return pooled ? pooledJson(pooled, params.visible) : {}
  },
}

const getTransactionInfoById: Endpoint = {
  path: 'gettransactioninfobyid',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const found = included(context)
    return found?.info ? infoJson(found.info, context.params.visible) : {}
  },
}

/** The receipt alone, under a capital letter. */
const getTransactionReceiptById: Endpoint = {
  path: 'gettransactionreceiptbyid',
  methods: 'GET POST',
  solidity: false,
  run(context) {
    const found = included(context)
    return found?.info ? { Receipt: found.info.receipt } : {}
  },
}

const getTransactionInfoByBlockNum: Endpoint = {
  path: 'gettransactioninfobyblocknum',
  methods: 'GET POST',
  solidity: true,
  run(context) {
    const number = context.params.integer('num')
    if (number <= 0n) return {}
    const infos = seen(context, number)?.infos ?? []
    return hashOrder(infos.map((info) => infoJson(info, context.params.visible)))
  },
}

const getTransactionCountByBlockNum: Endpoint = {
  path: 'gettransactioncountbyblocknum',
  methods: 'GET POST',
  solidity: true,
  run: (context) => ({
    count: seen(context, context.params.integer('num'))?.txids.length ?? 0,
  }),
}

export const blockEndpoints = [
  getNowBlock,
  getBlock,
  getBlockByNum,
  getBlockById,
  getBlockByLimitNext,
  getBlockByLatestNum,
  getTransactionById,
  getTransactionInfoById,
  getTransactionReceiptById,
  getTransactionInfoByBlockNum,
  getTransactionCountByBlockNum,
]

/** A block at or below the newest one this prefix shows. */
function seen({ chain, sight }: Context, number: number | bigint): Block | undefined {
  if (number < 0 || number > sight.top) return undefined
  return chain.block(Number(number))
}

function byId({ chain, sight }: Context, id: string): Block | undefined {
  if (id.length !== 64) return undefined
  const block = chain.blockById(id.toLowerCase())
  return block && block.number <= sight.top ? block : undefined
}

function included({ chain, sight, params }: Context) {
  const txid = params.hex('value')
  const found = txid.length === 64 ? chain.transaction(txid) : undefined
  return found && found.block.number <= sight.top ? found : undefined
}

function printBlock(
  block: Block | undefined,
  { visible, detail = true }: { visible: boolean; detail?: boolean },
): unknown {
  return block ? blockJson(block, { visible, detail }) : {}
}

function printBlocks(context: Context, start: number, end: number): unknown {
  const blocks: unknown[] = []
  for (let number = start; number < end; number++) {
    const block = seen(context, number)
    if (block) blocks.push(blockJson(block, context.params))
  }
  return { block: blocks }
}
