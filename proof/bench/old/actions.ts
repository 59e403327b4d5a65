import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from '../ageProgram.ts'
import { type LoadRequest, type Measured, summary } from '../load.ts'
import type { Figure } from '../report.ts'
import type { Variant } from '../rounds.ts'
import { apiKeyOf } from './generate.ts'
import { ORDERS_A_ROUND, type Sizes, VERSIONS_A_ROUND } from './sizes.ts'
import { type Aged, BUYERS, doJob, readOn, startService } from './world.ts'

const CONNECTIONS = 4
const BUYING_CONNECTIONS = 64
const TARGETS = 500
const PAGE = 20
/** Longest time until the worker has seen another head. */
const SEEN_MS_MAX = 15_000
const LOOK_MS = 500

/** Something that is done at both services. */
export type Action = {
  name: string
  value: Figure['value']
  /** The worker does it, not the process that answers clients. */
  isJob?: true
  of(aged: Aged): Promise<Variant['run']>
}

/** As often as there is time for, and once at least. */
async function repeat(seconds: number, once: () => Promise<number>): Promise<Measured> {
  const times: number[] = []
  const began = performance.now()
  do times.push(await once())
  while (performance.now() - began < seconds * 1_000)
  const sum = times.reduce((all, ms) => all + ms, 0)
  return { ...summary(times), perSecond: (times.length / sum) * 1_000 }
}

export const RESTART: Action = {
  name: 'a start, until it listens, reads blocks and has proven every invariant',
  value: 'p50Ms',
  async of({ world }) {
    return (seconds) =>
      repeat(seconds, async () => {
        await world.admin.query('delete from chain.cursor; delete from chain.head')
        try {
          const { child, ready } = await startService(world, 'all')
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.disconnect()
          await ended
          return ready.ms
        } finally {
          await readOn(world)
        }
      })
  },
}

const many = <T>(make: (index: number) => T) => Array.from({ length: TARGETS }, (_, i) => make(i))
const oneOf = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)]!
const anyBuyer = () => 2 + Math.floor(Math.random() * BUYERS)
const ordersOfLargest = ({ accounts, rounds }: Sizes) => (rounds - accounts + 1) * ORDERS_A_ROUND

let runs = 0
export const ACTIONS: readonly Action[] = [
  http(
    'POST /buy, 64 connections, 1,000 accounts',
    BUYING_CONNECTIONS,
    async ({ world }) =>
      () => ({
        kind: 'buy',
        keys: Array.from({ length: BUYERS }, (_, place) => apiKeyOf(place + 2)),
        receivers: world.receivers,
        amount: 65_000,
        run: `age-${runs++}`,
      }),
  ),
  get('GET /account', async () => () => ({ path: '/v1/account', key: apiKeyOf(anyBuyer()) })),
  get('GET /order/{id}', async ({ world, accounts }) => {
    const { rows } = await world.admin.query(
      `select o.id, a.place from unnest($1::uuid[]) with ordinality a(id, place)
         join orders.purchase_order o on o.account_id = a.id and o.number = 1 + a.place % ${ORDERS_A_ROUND}`,
      [accounts.slice(1)],
    )
    return () => {
      const { id, place } = oneOf(rows)
      return { path: `/v1/order/${id}`, key: apiKeyOf(Number(place) + 1) }
    }
  }),
  get('GET /orders, any page, the largest account', async ({ sizes }) => () => {
    const page = 1 + Math.floor((Math.random() * ordersOfLargest(sizes)) / PAGE)
    return { path: `/v1/orders?page=${page}`, key: apiKeyOf(1) }
  }),
  get('GET /orders, a whole address, the largest account', async (aged) => {
    const receivers = await receiversOf(aged)
    return () => ({ path: `/v1/orders?receiver_address=${oneOf(receivers)}`, key: apiKeyOf(1) })
  }),
  get('GET /orders, the other accounts', async () => () => ({
    path: '/v1/orders?page=1',
    key: apiKeyOf(anyBuyer()),
  })),
  get('GET /transactions', async () => () => ({
    path: '/v1/transactions',
    key: apiKeyOf(anyBuyer()),
  })),
  job(
    'a statement of 90 days, an account',
    async ({ accounts, made: { firstMs, lastMs } }) =>
      () => {
        const from = firstMs + Math.random() * (lastMs - firstMs) * 0.9
        // Three movements of the account, or four.
        return {
          job: 'statement',
          account: oneOf(accounts.slice(1)),
          from,
          to: from + (lastMs - firstMs) / 10,
        }
      },
  ),
  job(
    'a statement of 300 entries, the largest account',
    async ({ accounts, sizes, made }) =>
      () => {
        const spanMs = made.lastMs - made.firstMs
        const entries = (sizes.rounds - sizes.accounts + 1) * VERSIONS_A_ROUND
        const partMs = Math.min(spanMs * 0.9, (spanMs * 300) / entries)
        const from = made.firstMs + Math.random() * (spanMs - partMs)
        return { job: 'statement', account: accounts[0]!, from, to: from + partMs }
      },
  ),
  job('audit of what is new', async () => () => ({ job: 'audit' })),
  job('reconciliation', async () => () => ({ job: 'reconcile' })),
  {
    name: 'a batch of sweeps is asked for',
    value: 'p50Ms',
    isJob: true,
    async of({ world, worker }) {
      // Nothing is signed before a scanner has asked for the head since the start of the process.
      await world.admin.query('update chain.head set number = number + 1')
      const sweep = async () => {
        const ms = await doJob(worker, { job: 'sweep' })
        await world.admin.query(
          `delete from deposits.sweep where state = 'open'; delete from signing.request where not handed_over`,
        )
        return ms
      }
      const untilMs = performance.now() + SEEN_MS_MAX
      while (performance.now() < untilMs && (await sweep().catch(() => undefined)) === undefined) {
        await pause(LOOK_MS)
      }
      return (seconds) => repeat(seconds, sweep)
    },
  },
  job('operator: orders of a receiver', async (aged) => {
    const receivers = await receiversOf(aged)
    return () => ({ job: 'orders', text: oneOf(receivers) })
  }),
  job('operator: an account by its login', async () => () => ({
    job: 'accounts',
    text: `client${anyBuyer()}@example.com`,
  })),
]

function http(
  name: string,
  connections: number,
  requests: (aged: Aged) => Promise<() => LoadRequest>,
): Action {
  return {
    name,
    value: 'p95Ms',
    async of(aged) {
      const next = await requests(aged)
      const ports = [Number(new URL(aged.world.appUrl).port)]
      return (seconds) => aged.world.load({ ports, connections, seconds, requests: next() })
    },
  }
}

function get(
  name: string,
  target: (aged: Aged) => Promise<() => { path: string; key: string }>,
): Action {
  return http(name, CONNECTIONS, async (aged) => {
    const next = await target(aged)
    return () => ({ kind: 'get', targets: many(next) })
  })
}

function job(name: string, asked: (aged: Aged) => Promise<() => Job>): Action {
  return {
    name,
    value: 'p50Ms',
    isJob: true,
    async of(aged) {
      const next = await asked(aged)
      return (seconds) => repeat(seconds, () => doJob(aged.worker, next()))
    },
  }
}

async function receiversOf({ world, accounts }: Aged): Promise<string[]> {
  const { rows } = await world.admin.query(
    'select receiver_address from orders.pair where account_id = $1 order by haystack limit $2',
    [accounts[0], TARGETS],
  )
  return rows.map((row) => row.receiver_address)
}
