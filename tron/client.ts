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
  /** In order of preference; each serves both /wallet and /walletsolidity. */
  urls: readonly string[]
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
        return readBroadcast(await pool.send({ path: 'wallet/broadcasthex', body }))
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
  const targets = options.urls.map((url) => ({
    url: url.replace(/\/+$/, ''),
    host: new URL(url).host,
    apiKey: options.apiKey,
  }))
  return new NodePool(world, {
    targets,
    timeoutMs: options.timeoutMs,
    staleAfterMs: options.staleAfterMs ?? 30_000,
    onTrouble: options.onTrouble ?? (() => {}),
  })
}

function readBroadcast(json: unknown): BroadcastResult {
  const answer = json as Record<string, unknown>
  if (answer.result === true) return { accepted: true }
  if (typeof answer.code === 'string') {
    return { accepted: false, code: answer.code, message: nodeText(answer.message) }
  }
  const trouble = new NodeTrouble('malformed', 'broadcast answered neither result nor code')
  return { accepted: 'unknown', trouble }
}
