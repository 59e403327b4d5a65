import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  encodeRaw,
  encodeTransaction,
  fromJson,
  type RawTransaction,
  toJson,
  txId,
} from '@ergon/tron'
import type { Devnet } from '../devnet.ts'
import { type Difference, differences, filledIn, type Names } from './pattern.ts'
import { type Cast, fund, prepare, type Stage } from './scenario.ts'

/** One call of the recording. */
export type Call = {
  subject: string
  name: string
  method: string
  path: string
  headers?: Record<string, string>
  port?: 'wallet'
  request?: unknown
  status: number
  type: string | null
  response?: unknown
  text?: string
}

type Json = Record<string, unknown>
type Transaction = Json & { txID: string; raw_data: Json; raw_data_hex: string }

const file = join(import.meta.dirname, '..', '..', 'vectors', 'java-tron-4.8.0.json')

export function readRecording(): Call[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Call[]
}

/**
 * Makes the recorded calls to a devnet's two node-like ports and compares what it answers. A block is
 * made when the scenario needs one, 3 s of the chain's time after the one before.
 */
export class Driver {
  readonly devnet: Devnet
  readonly names: Names
  readonly cast: Cast
  readonly #stage: Stage
  /** By step: the transaction that was built or sent. */
  readonly #transactions = new Map<string, Transaction>()

  constructor(devnet: Devnet, tick: () => void) {
    this.devnet = devnet
    const { chain } = devnet
    const mine = () => {
      tick()
      chain.mine()
    }
    this.#stage = { chain, mine }
    this.cast = fund(this.#stage)
    const addresses = new Map(Object.entries(this.cast.addresses))
    const now = () => chain.clock.now()
    this.names = { addresses, txids: new Map(), block: undefined, now }
  }

  async make(call: Call): Promise<Difference[]> {
    prepare(this.#stage, call.name, this)
    const { body, contentType } = this.#bodyOf(call)
    const answer = await this.#send(call, body, contentType)
    const text = await answer.text()
    const json = parsed(text)
    if (call.name.endsWith(': build')) this.#keep(call, json)
    const status = {
      status: answer.status,
      type: withoutBlanks(answer.headers.get('content-type')),
    }
    const recorded = { status: call.status, type: withoutBlanks(call.type) }
    const shown = json === undefined ? titleOf(text) : json
    const wanted = call.response === undefined ? titleOf(call.text ?? '') : call.response
    return [
      ...differences(call.name, recorded, status, this.names),
      ...differences(call.name, wanted, shown, this.names),
    ]
  }

  #send(call: Call, body: string | undefined, contentType: string): Promise<Response> {
    const { url, solidityUrl } = this.devnet.node!
    const isSolidity = call.path.startsWith('walletsolidity') && call.port !== 'wallet'
    const path = String(filledIn(`/${call.path}`, this.names))
    return fetch((isSolidity ? solidityUrl : url) + path, {
      method: call.method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': contentType } }),
    })
  }

  #bodyOf(call: Call): { body: string | undefined; contentType: string } {
    const contentType = call.headers?.['content-type'] ?? 'application/json'
    if (call.method === 'GET') return { body: undefined, contentType }
    const request = this.#requestOf(call)
    const body = typeof request === 'string' ? request : JSON.stringify(request ?? {})
    return { body: call.request === undefined ? '{}' : body, contentType }
  }

  #requestOf(call: Call): unknown {
    const request = call.request as Json | string | undefined
    if (typeof request !== 'object') return filledIn(request, this.names)
    const step = this.cast.sameAs[stepOf(call.name)] ?? stepOf(call.name)
    if (request.transaction === '<transaction in hex>') {
      const sent = this.#transactions.get(step) ?? this.#compose(call, this.cast.sentAsHex(step))
      return { ...request, transaction: hexOf(sent) }
    }
    if (request.raw_data !== undefined) return this.#signed(call, request)
    const filled = filledIn(request, this.names) as Json
    if (filled.id_or_num !== undefined && call.name !== 'getblock number not as text') {
      filled.id_or_num = String(filled.id_or_num)
    }
    if (filled.value === '<block id>') filled.value = this.devnet.chain.head.id
    return filled
  }

  /** A transaction to send: the one just built, the same as before, or one like the recorded. */
  #signed(call: Call, request: Json): Transaction {
    const step = this.cast.sameAs[stepOf(call.name)] ?? stepOf(call.name)
    const known = this.#transactions.get(step)
    if (known?.signature !== undefined) return known
    const unsigned = known ?? this.#compose(call, request)
    const signatures = this.cast.signatures(step, unsigned)
    const signed = signatures.length > 0 ? { ...unsigned, signature: signatures } : unsigned
    this.#transactions.set(step, signed)
    return signed
  }

  #compose(call: Call, request: Json): Transaction {
    const { chain } = this.devnet
    const { id } = chain.block(chain.solidNumber)!
    const recorded = request.raw_data as Json
    const filled = filledIn(recorded, this.names) as Json
    const step = stepOf(call.name)
    const time = this.names.now()
    const raw_data = {
      ...filled,
      ...(filled.ref_block_bytes === 'ffff' ? {} : { ref_block_bytes: id.slice(12, 16) }),
      ...(recorded.ref_block_hash === '<ref_block_hash>'
        ? { ref_block_hash: id.slice(16, 32) }
        : {}),
      ...(recorded.expiration === '<time>'
        ? { expiration: step === 'expired' ? time - 60_000 : chain.head.timestamp + 60_000 }
        : {}),
    }
    const wantedV = this.cast.wantedV(step)
    for (let later = 0; ; later++) {
      const raw = fromJson({ ...raw_data, timestamp: time + later })
      const visible = request.visible === true
      const transaction = sealed(raw, visible)
      const isWanted = wantedV === undefined || this.cast.vOf(transaction.txID) === wantedV
      if (!isWanted) continue
      if (call.path.endsWith('broadcasthex')) {
        const signature = this.cast.signatures(step, transaction)
        const signed = { ...transaction, signature }
        this.#transactions.set(step, signed)
        return signed
      }
      return transaction
    }
  }

  #keep({ name }: Call, json: unknown): void {
    const built = json as { transaction?: Transaction } & Transaction
    const transaction = built.transaction ?? built
    if (transaction.raw_data) this.#transactions.set(stepOf(name), transaction)
  }
}

function sealed(raw: RawTransaction, visible: boolean): Transaction {
  const json = toJson(raw, { visible })
  return { ...json, visible, txID: txId(encodeRaw(raw)) } as unknown as Transaction
}

function hexOf({ raw_data, signature = [] }: Json): string {
  const rawBytes = encodeRaw(fromJson(raw_data))
  const bytes = encodeTransaction({ rawBytes, signatures: signature as string[] })
  return Buffer.from(bytes).toString('hex')
}

function stepOf(name: string): string {
  return name.replace(/: (build|broadcast|json|hex|info|transaction)$/, '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of a page of HTML only its title counts. */
function titleOf(text: string): string {
  const title = /^<html>.*?<title>(.*?)<\/title>/is.exec(text)?.[1]
  return title ?? text.replace(/^<html> /, '')
}

function withoutBlanks(type: string | null): string | null {
  return type?.toLowerCase().replace(/\s/g, '') ?? null
}
