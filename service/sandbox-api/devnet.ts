import { type Refusal, refuse } from '@ergon/contract'
import type { Sun } from '../kernel/index.ts'

/** The devnet's control endpoints. Only the sandbox has one, and only on this machine. */
export type DevnetControl = {
  keys(): Promise<DevnetKeys>
  transfer(from: string, to: string, amount: Sun): Promise<string>
  usdt(from: string, to: string, amount: bigint): Promise<string>
  mine(blocks: number): Promise<DevnetHead>
  /** Its head, and the ids of transactions that wait for a block. */
  state(): Promise<{ head: DevnetHead; pool: string[] }>
  reorg(depth: number, dropTxids: string[]): Promise<DevnetHead>
  /** What a USDT transfer costs. */
  setEnergy(change: { factor?: number; network_usage?: number }): Promise<DevnetEnergy>
  setFaults(faults: DevnetFaults): Promise<DevnetFaults>
  advance(seconds: number): Promise<void>
  createSink(): Promise<{ id: string; url: string }>
  /** Undefined when there is no such sink. */
  readSink(id: string): Promise<{ deliveries: SinkDelivery[] } | undefined>
  setSink(id: string, answer: SinkAnswer): Promise<{ id: string; answer: SinkAnswer } | undefined>
  sayInChat(chat: string, message: ChatWords): Promise<{ chat: string }>
  readChat(chat: string): Promise<{ messages: { sent_at: string; text: string }[] }>
}

export type ChatWords = { text?: string; name?: string; answer?: string }
export type SinkAnswer = 200 | 500 | 'hang'
export type SinkDelivery = {
  received_at: string
  headers: Record<string, string>
  raw_body: string
}

/** Base URL of the devnet's webhook receivers. */
export function sinkUrlOf(devnetUrl: string): string {
  return `${devnetUrl}/receivers`
}

export type DevnetKeys = {
  funded_keys: { address: string; private_key: string }[]
  usdt_contract: string
}
export type DevnetEnergy = { factor: number; network_usage: number; next_maintenance: string }
/** Trouble that the node makes, as the devnet names it. */
export type DevnetFaults = {
  constant_timeout?: boolean
  syncing_blocks?: number
  busy?: boolean
  empty_infos?: boolean
  delay_ms?: number
  http_status?: number
  times?: number
}
export type DevnetHead = { number: number; id: string; timestamp: number }

/** A refusal of the devnet, with its message. */
class DevnetRefusal extends Error {
  override name = 'DevnetRefusal'
}

async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DevnetRefusal) return undefined
    throw error
  }
}

/** Turns a refusal of the devnet into ours; other errors are rethrown. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DevnetRefusal)) throw error
    return refuse('validation_error', { message: error.message })
  }
}

const FAULTS = [
  'constant_timeout',
  'syncing_blocks',
  'busy',
  'empty_infos',
  'delay_ms',
  'http_status',
  'times',
] as const satisfies (keyof DevnetFaults)[]
const WORDS = ['text', 'name', 'answer'] as const satisfies (keyof ChatWords)[]

/** Without unknown fields of a request: one of them may be nested too deep to be written as JSON. */
function only<T extends object>(names: readonly (keyof T & string)[], given: T) {
  return Object.fromEntries(names.map((name) => [name, given[name]]))
}

export function createDevnetControl(url: string): DevnetControl {
  async function ask<T>(path: string, body?: Record<string, unknown>): Promise<T> {
    const response = await fetch(`${url}/control/${path}`, {
      method: body ? 'POST' : 'GET',
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const answer = (await response.json()) as T & { error?: string }
    if (!response.ok) throw new DevnetRefusal(answer.error ?? `devnet answered ${response.status}`)
    return answer
  }
  return {
    keys: () => ask('keys'),
    transfer: async (from, to, amount) =>
      (await ask<{ txid: string }>('transfer', { from, to, amount_sun: String(amount) })).txid,
    usdt: async (from, to, amount) =>
      (await ask<{ txid: string }>('usdt', { from, to, amount: String(amount) })).txid,
    state: () => ask('state'),
    mine: async (blocks) => (await ask<{ head: DevnetHead }>('mine', { blocks })).head,
    reorg: async (depth, drop_txids) =>
      (await ask<{ head: DevnetHead }>('reorg', { depth, drop_txids })).head,
    async setEnergy({ factor, network_usage }) {
      type Set = Omit<DevnetEnergy, 'next_maintenance'> & { next_maintenance: number }
      const { next_maintenance, ...set } = await ask<Set>('energy', { factor, network_usage })
      return { ...set, next_maintenance: new Date(next_maintenance).toISOString() }
    },
    setFaults: (faults) => ask('faults', only(FAULTS, faults)),
    advance: async (advance_seconds) => {
      await ask('clock', { advance_seconds })
    },
    async createSink() {
      const { id } = await ask<{ id: string }>('receivers', {})
      return { id, url: `${sinkUrlOf(url)}/${id}` }
    },
    readSink: (id) => orMissing(() => ask(`receivers/${id}`)),
    sayInChat: (chat, message) => ask(`chat/${chat}`, only(WORDS, message)),
    readChat: (chat) => ask(`chat/${chat}`),
    setSink: (id, answer) => orMissing(() => ask(`receivers/${id}`, { answer })),
  }
}
