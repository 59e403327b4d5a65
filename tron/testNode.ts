import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNodeClient, type NodeClientOptions } from './client.ts'
import { stringifyJson } from './json.ts'
import type { NodeTrouble } from './trouble.ts'

// A node whose answers a test sets, and a clock that a test moves. No test sleeps.

export const epoch = 1_800_000_000_000

type Answer =
  | { json: unknown }
  | { text: string }
  | { status: number; headers?: Record<string, string> }
  | { hang: () => void }
  | { drop: true }

type Asked = { path: string; body: unknown; headers: IncomingHttpHeaders }

export type TestNode = {
  url: string
  asked: Asked[]
  /** A later answer to one path replaces an earlier one. A function is called each time. */
  answer(path: string, answer: Answer | (() => Answer)): void
  /** To every other path; 404 unless told. */
  otherwise(answer: Answer): void
  close(): Promise<void>
}

export async function startTestNode(port = 0): Promise<TestNode> {
  let otherwise: Answer = { status: 404 }
  const answers = new Map<string, () => Answer>()
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = (request.url ?? '').slice(1)
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      asked.push({ path, body, headers: request.headers })
      const answer = answers.get(path)?.() ?? otherwise
      if ('drop' in answer) response.destroy()
      else if ('hang' in answer) answer.hang()
      else if ('status' in answer) response.writeHead(answer.status, answer.headers).end('{}')
      else response.end('json' in answer ? stringifyJson(answer.json) : answer.text)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (path, answer) => {
      answers.set(path, typeof answer === 'function' ? answer : () => answer)
    },
    otherwise: (answer) => {
      otherwise = answer
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A clock whose waits end at once and whose timeouts end when the test says so. */
function testWorld() {
  let now = epoch
  const waits: number[] = []
  const timers = new Set<() => void>()
  return {
    waits,
    now: () => now,
    pass: (ms: number) => {
      now += ms
    },
    expireTimeouts: () => {
      for (const expire of timers) expire()
    },
    // The client passes a signal to its timeouts, which it cancels, and none to its waits.
    sleep: (ms: number, signal?: AbortSignal) => {
      if (!signal) {
        waits.push(ms)
        now += ms
        return Promise.resolve()
      }
      return new Promise<void>((resolve) => {
        const expire = () => {
          timers.delete(expire)
          now += ms
          resolve()
        }
        timers.add(expire)
        signal.addEventListener('abort', () => timers.delete(expire))
      })
    },
  }
}

export function testClient(urls: string[], more: Partial<NodeClientOptions> = {}) {
  const world = testWorld()
  const troubles: NodeTrouble[] = []
  const onTrouble = (trouble: NodeTrouble) => void troubles.push(trouble)
  const { now, sleep } = world
  const client = createNodeClient({ urls, timeoutMs: 10_000, now, sleep, onTrouble, ...more })
  return { client, world, troubles }
}

export function blockJson(number: number, timestamp = epoch, transactions?: unknown[]) {
  const idOf = (n: number) => n.toString(16).padStart(16, '0').padEnd(64, '01')
  return {
    blockID: idOf(number),
    block_header: {
      raw_data: {
        number,
        timestamp,
        txTrieRoot: '00'.repeat(32),
        witness_address: `41${'00'.repeat(20)}`,
        parentHash: idOf(number - 1),
        version: 32,
      },
      witness_signature: '00'.repeat(65),
    },
    ...(transactions ? { transactions } : {}),
  }
}
