import { setTimeout as sleepFor } from 'node:timers/promises'
import { bytesToHex } from '@noble/hashes/utils.js'
import { chainReads } from './chainReads.ts'
import type { World } from './exchange.ts'
import { nodeText } from './jsonFields.ts'
import { NodePool } from './nodePool.ts'
import { post } from './post.ts'
import { stateReads } from './stateReads.ts'
import { NodeTrouble } from './trouble.ts'

export type NodeClientOptions = {
  /** Full nodes, in order of preference. */
  urls: readonly string[]
  /** Where each of them serves /walletsolidity, in the same order. Absent: it is found. */
  solidityUrls?: readonly string[] | undefined
  /** Sent as TRON-PRO-API-KEY to every URL. */
  apiKey?: string
  /** For a whole call, including all nodes and waits. */
  timeoutMs: number
  staleAfterMs?: number
  /** Called for every trouble, also when another node then answered. */
  onTrouble?: (trouble: NodeTrouble) => void
} & Partial<World>

/**
 * `accepted: true` means only that one node has it in its pool. 'unknown' means the transaction may
 * have been sent: look the txID up, or send the same bytes again; never build new ones before these
 * have expired.
 */
export type BroadcastResult =
  | { accepted: true }
  | { accepted: false; code: string; message: string }
  | { accepted: 'unknown'; trouble: NodeTrouble }

export type NodeClient = ReturnType<typeof createNodeClient>

/** The HTTP API of java-tron nodes. Reads reject with NodeTrouble and with nothing else. */
export function createNodeClient(options: NodeClientOptions) {
  const pool = createPool(options)

  return {
    nodes: () => pool.status(),
    ...chainReads(pool),
    ...stateReads(pool),

    /** Sends to one node once; the result contains what went wrong. */
    broadcast: async (transactionBytes: Uint8Array): Promise<BroadcastResult> => {
      const body = { transaction: bytesToHex(transactionBytes) }
      try {
        return await pool.send({ path: 'wallet/broadcasthex', body, decode: readBroadcast })
      } catch (trouble) {
        if (trouble instanceof NodeTrouble) return { accepted: 'unknown', trouble }
        throw trouble
      }
    },
  }
}

function createPool(options: NodeClientOptions): NodePool {
  const world: World = {
    post: options.post ?? post,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal ? { signal } : {})),
  }
  const { urls, solidityUrls = [] } = options
  if (solidityUrls.length > 0 && solidityUrls.length !== urls.length) {
    throw new RangeError('name the solidity address of each node, or of none')
  }
  const targets = urls.map((url, place) => ({
    url: trimmed(url),
    host: new URL(url).host,
    apiKey: options.apiKey,
    solidityUrl: solidityUrls[place] && trimmed(new URL(solidityUrls[place]).href),
  }))
  return new NodePool(world, {
    targets,
    timeoutMs: options.timeoutMs,
    staleAfterMs: options.staleAfterMs ?? 30_000,
    onTrouble: options.onTrouble ?? (() => {}),
  })
}

const trimmed = (url: string) => url.replace(/\/+$/, '')

/** Codes about the node and not about the bytes, which are sent again. */
const troubleCodes: ReadonlySet<unknown> = new Set([
  'SERVER_BUSY',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
])

function readBroadcast(json: unknown): BroadcastResult {
  const { result, code, message } = json as Record<string, unknown>
  // A duplicate is pooled or in a block already: these bytes were sent before.
  if (result === true || code === 'DUP_TRANSACTION_ERROR') return { accepted: true }
  if (typeof code !== 'string') {
    throw new NodeTrouble('malformed', 'broadcast answered neither result nor code')
  }
  // Unreachable, so that the next bytes go to another node if there is one.
  if (troubleCodes.has(code)) throw new NodeTrouble('unreachable', `${code}: ${nodeText(message)}`)
  return { accepted: false, code, message: nodeText(message) }
}
