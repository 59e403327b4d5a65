import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Post } from '@ergon/tron'

/**
 * A chain in memory that answers as a java-tron node does: half transfers of TRX, half USDT calls
 * with receipts. Blocks are rendered on request from one template, so that a thousand of them need
 * no memory; the last few answers are cached.
 */
export type MemoryChain = {
  post: Post
  head: number
}

const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const FIRST_TIME = 1_700_000_000_000
/** A timestamp as some wallets write it; beyond the safe integers, on purpose. */
const NANOSECONDS = FIRST_TIME * 1_000_000
const NANOSECONDS_EVERY = 50
const KEPT_MAX = 4
const PIECE_BYTES = 64 * 1024
/**
 * Placeholder for the block's number, as 16 hex digits, wherever an id must differ between blocks.
 */
const HEIGHT = '@@@@@@@@@@@@@@@@'

export const hexOf = (seed: string, length: number) =>
  createHash('sha512').update(seed).digest('hex').slice(0, length)

/** A flat string, as the driver and the parser make them, not a slice of a longer one. */
export function addressOf(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 21)
  bytes[0] = 0x41
  return bytes.toString('hex')
}

export function memoryChain(options: {
  head: number
  transactions: number
  /** Receivers of the first transfers of each block. */
  payees?: string[]
}): MemoryChain {
  const { head, transactions, payees = [] } = options
  const places = Array.from({ length: transactions }, (_, place) => place)
  const bodies = template(places.map((place) => transactionJson(place, payees[place])))
  const infos = template(places.map((place) => infoJson(place)))
  const fill = (parts: string[], number: number) => parts.join(heightOf(number))
  const blockText = (number: number) =>
    `{"blockID":"${idOf(number)}","block_header":${headerText(number)},"transactions":${fill(bodies, number)}}`
  const infosText = (number: number) =>
    fill(infos, number).replaceAll('"blockNumber":0', `"blockNumber":${number}`)

  function answer(path: string, body: { startNum?: number; endNum?: number; num?: number }) {
    if (path.endsWith('getnowblock')) return blockText(head)
    if (path.endsWith('getblockbynum')) return blockText(body.num!)
    if (path.endsWith('gettransactioninfobyblocknum')) return infosText(body.num!)
    if (!path.endsWith('getblockbylimitnext')) throw new Error(`not answered: ${path}`)
    const numbers = Array.from({ length: body.endNum! - body.startNum! }, (_, i) => i)
    return `{"block":[${numbers.map((i) => blockText(body.startNum! + i)).join(',')}]}`
  }
  // Cache the last answers as bytes: a measurement of reading a block must not include writing it.
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  function bytesOf(path: string, body: string) {
    const asked = `${path} ${body}`
    const known = kept.get(asked)
    if (known) return known
    const bytes = new TextEncoder().encode(answer(path, JSON.parse(body)))
    if (kept.size >= KEPT_MAX) kept.clear()
    kept.set(asked, bytes)
    return bytes
  }
  return {
    head,
    post: async (url, { body }) => ({
      status: 200,
      headers: new Headers(),
      body: Readable.from(piecesOf(bytesOf(url, body || '{}'))),
    }),
  }
}

/** Copies, in the chunks in which a socket delivers them. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.slice(from, from + PIECE_BYTES)
  }
}

function template(items: unknown[]): string[] {
  return JSON.stringify(items).split(HEIGHT)
}

const heightOf = (number: number) => number.toString(16).padStart(16, '0')
export const idOf = (number: number) => heightOf(number) + hexOf(`block ${number}`, 48)
export const timeOf = (number: number) => FIRST_TIME + number * 3_000

function headerText(number: number): string {
  return JSON.stringify({
    raw_data: {
      number,
      txTrieRoot: hexOf(`root ${number}`, 64),
      witness_address: addressOf('witness'),
      parentHash: idOf(number - 1),
      version: 30,
      timestamp: timeOf(number),
    },
    witness_signature: hexOf(`signature ${number}`, 128),
  })
}

const txidOf = (place: number) => HEIGHT + hexOf(`transaction ${place}`, 48)

function transactionJson(place: number, payee: string | undefined) {
  const owner_address = addressOf(`payer ${place}`)
  const isTransfer = payee !== undefined || place % 2 === 0
  const type = isTransfer ? 'TransferContract' : 'TriggerSmartContract'
  const value = isTransfer
    ? { amount: 1_000_000 + place, owner_address, to_address: payee ?? addressOf(`to ${place}`) }
    : {
        data: `a9059cbb${hexOf(`call ${place}`, 128)}`,
        owner_address,
        contract_address: addressOf('usdt'),
      }
  return {
    ret: [{ contractRet: 'SUCCESS' }],
    signature: [`${hexOf(`signed ${place}`, 128)}1b`],
    txID: txidOf(place),
    raw_data: {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: 'ab12',
      ref_block_hash: '0123456789abcdef',
      expiration: FIRST_TIME + 9_000_000_000,
      fee_limit: 100_000_000,
      timestamp: place % NANOSECONDS_EVERY === 0 ? NANOSECONDS : FIRST_TIME,
    },
    raw_data_hex: hexOf(`raw ${place}`, 128).repeat(isTransfer ? 2 : 3),
  }
}

function infoJson(place: number) {
  const common = { id: txidOf(place), blockNumber: 0, blockTimeStamp: FIRST_TIME }
  if (place % 2 === 0) {
    return { ...common, contractResult: [''], receipt: { net_usage: 268 } }
  }
  const word = (seed: string) => `000000000000000000000000${hexOf(seed, 40)}`
  const topics = [TRANSFER_TOPIC, word(`payer ${place}`), word(`token to ${place}`)]
  return {
    ...common,
    contractResult: ['0'.repeat(64)],
    contract_address: addressOf('usdt'),
    receipt: {
      energy_usage: 64_285,
      energy_usage_total: 64_285,
      net_usage: 345,
      result: 'SUCCESS',
    },
    log: [{ address: addressOf('usdt').slice(2), topics, data: hexOf(`amount ${place}`, 64) }],
  }
}
