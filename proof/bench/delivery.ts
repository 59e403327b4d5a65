import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startProgram, untilUp } from '../testing/program.ts'
import { type Handed, quantile, type Suite } from './row.ts'

// npm run bench -- delivery [--rate 50] [--seconds 60]
// From POST /buy to COMPLETED through own stake, in the sandbox as `npm start` runs it: one process
// with all roles, plus the signer and the devnet. First one order at a time, then 50 a second for a
// minute.

const BLOCK_MS = 3_000
const ROUNDS = 5
const ORDERS_A_ROUND = 3
const SECONDS = 60
/** A growing queue shows as growing latency: the most that the last third may exceed the first. */
const GROWTH_MAX = 1.3
/** After the order's deadline: an order that is not final then never will be. */
const FINAL_MS = 125_000
const POLL_MS = 250
const ACCOUNTS = 20
const PAGE_SIZE = 100

type Sandbox = Awaited<ReturnType<typeof untilUp>>

type Answer = Record<string, string> & { orders?: Order[]; total?: number }
type Order = { id: string; status: string; created_at: string; completed_at: string }

async function ask(url: string, key: string, body?: object): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** An account may make a thousand requests a minute, so many accounts share the stream. */
async function openAccount({ base_url, sandbox_url }: Sandbox): Promise<string> {
  const { api_key } = await ask(`${sandbox_url}/accounts`, '', { deposit_trx: '9000' })
  for (;;) {
    const { balance_trx } = await ask(`${base_url}/account`, api_key!)
    if (balance_trx !== '0') return api_key!
    await pause(POLL_MS)
  }
}

async function buy({ base_url, funded_keys }: Sandbox, key: string, place: number) {
  const receiver_address = funded_keys[place % funded_keys.length]!.address
  const wish = { receiver_address, resource_amount: 65_000 }
  return (await ask(`${base_url}/buy`, key, wish)).order_id!
}

/** By the service's own timestamps: polling more often would use up the rate limit. */
const tookMs = ({ created_at, completed_at }: Order) =>
  Date.parse(completed_at) - Date.parse(created_at)

async function measureSingles(sandbox: Sandbox, key: string, orders: number): Promise<number[]> {
  const took: number[] = []
  for (let place = 0; place < orders; place++) {
    // At another moment of the block interval each time.
    await pause((place * 700) % BLOCK_MS)
    const id = await buy(sandbox, key, place)
    for (;;) {
      const order = (await ask(`${sandbox.base_url}/order/${id}`, key)) as unknown as Order
      if (order.status === 'FAILED') throw new Error(`order ${id} failed`)
      if (order.status === 'COMPLETED') {
        took.push(tookMs(order))
        break
      }
      await pause(POLL_MS)
    }
  }
  return took
}

type Stream = { rate: number; seconds: number }

/** An open loop: the next order does not wait for the last one. */
async function measureStream(sandbox: Sandbox, keys: string[], { rate, seconds }: Stream) {
  const startedMs = performance.now()
  const buys: Promise<string>[] = []
  for (let place = 0; place < rate * seconds; place++) {
    const dueMs = startedMs + (place * 1_000) / rate
    if (dueMs > performance.now()) await pause(dueMs - performance.now())
    buys.push(buy(sandbox, keys[place % keys.length]!, place))
  }
  await Promise.all(buys)
  const perSecond = buys.length / ((performance.now() - startedMs) / 1_000)
  const untilMs = performance.now() + FINAL_MS
  for (;;) {
    const orders = (await Promise.all(keys.map((key) => ordersOf(sandbox, key)))).flat()
    const count = (status: string) => orders.filter((order) => order.status === status).length
    const [completed, failed] = [count('COMPLETED'), count('FAILED')]
    const open = orders.length - completed - failed
    if (open > 0 && performance.now() < untilMs) {
      await pause(2_000)
      continue
    }
    const done = orders.filter((order) => order.status === 'COMPLETED')
    const inOrder = done.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
    return { took: inOrder.map(tookMs), failed, open, perSecond, sent: buys.length }
  }
}

async function ordersOf({ base_url }: Sandbox, key: string): Promise<Order[]> {
  const found: Order[] = []
  for (let page = 1; ; page++) {
    const { orders } = await ask(`${base_url}/orders?page=${page}&page_size=${PAGE_SIZE}`, key)
    found.push(...orders!)
    if (orders!.length < PAGE_SIZE) return found
  }
}

/** p95 of each third of the run, by the time of purchase. */
function thirds(took: number[]): number[] {
  const size = Math.ceil(took.length / 3)
  return [0, 1, 2].map((third) => quantile(took.slice(third * size, (third + 1) * size), 0.95))
}

export const measureDelivery: Suite = async ({ rounds = ROUNDS, seconds = SECONDS, rate }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const program = startProgram({
    env: { DATA_DIR: folder, BLOCK_MS: String(BLOCK_MS), PORT: '0', DEVNET_PORT: '0' },
  })
  try {
    const sandbox = await untilUp(program, folder)
    const keys = await Promise.all(Array.from({ length: ACCOUNTS }, () => openAccount(sandbox)))
    const single = await openAccount(sandbox)
    const singles = await measureSingles(sandbox, single, rounds * ORDERS_A_ROUND)
    const stream = await measureStream(sandbox, keys, { rate, seconds })
    return { ...handedOf(singles, stream, { rate, seconds }), details: { singles, stream } }
  } finally {
    program.kill('SIGTERM')
    await program.ended
    rmSync(folder, { recursive: true, force: true })
  }
}

function handedOf(
  singles: number[],
  stream: Awaited<ReturnType<typeof measureStream>>,
  { rate, seconds }: Stream,
): Handed {
  const { took, failed, open, perSecond, sent } = stream
  const streamed = `${rate} orders a second for ${seconds} s`
  const p95s = thirds(took)
  const say = (ms: number) => `${ms.toFixed(0)} ms`
  return {
    rows: [
      {
        figure: 'POST /buy to COMPLETED through own stake, one at a time: p95',
        baseline: `one block interval: ${BLOCK_MS} ms`,
        unit: 'ms',
        value: quantile(singles, 0.95),
        low: Math.min(...singles),
        high: Math.max(...singles),
        must: BLOCK_MS + 300,
        aim: BLOCK_MS + 100,
        atMost: true,
      },
      {
        figure: `${streamed}: delivered`,
        baseline: 'sent',
        value: took.length / sent,
        must: 1,
      },
      {
        figure: `${streamed}: p95 of the last third`,
        baseline: 'p95 of the first third',
        value: p95s[2]! / p95s[0]!,
        must: GROWTH_MAX,
        atMost: true,
      },
    ],
    remarks: [
      `One at a time: p50 ${say(quantile(singles, 0.5))}, the range is that of ${singles.length} orders. ${streamed} (${perSecond.toFixed(1)} sent): ${took.length} completed, ${failed} failed, ${open} open; p50 ${say(quantile(took, 0.5))}, p95 ${say(quantile(took, 0.95))}, p95 of its thirds ${p95s.map(say).join(', ')}.`,
    ],
  }
}
