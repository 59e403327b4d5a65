import type { ChildProcess } from 'node:child_process'
import { summary } from './load.ts'
import type { Arrivals } from './receiverProgram.ts'
import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import type { World } from './world.ts'

const WEBHOOKS = 16
/** Concurrent deliveries of one webhook; the bare sender has as many in all. */
const AT_ONCE = 4
/** Deliveries for each second that a round should take; both senders send the same number. */
const PER_SECOND = 4_000

const queued = 'webhook deliveries, from the outbox to the receiver'
const whole = 'webhook deliveries, from the event to the receiver'
const bare = 'undici + HMAC, no database'

export const webhookFigures: Figure[] = [
  { figure: queued, of: queued, baseline: bare, value: 'perSecond', must: 0.65, aim: 0.8 },
  { figure: whole, of: whole, baseline: bare, value: 'perSecond', aim: 0.65 },
]

const DATA = {
  entry_id: '01a1dd1e-0000-7000-8000-000000000000',
  entry_type: 'deposit',
  amount_sun: 2_500_000,
  balance_sun: 102_500_000,
  reference_id: 'a'.repeat(64),
}
const BODY = JSON.stringify({
  id: DATA.entry_id,
  type: 'balance.credited',
  created_at: new Date(0).toISOString(),
  audience: 'customer',
  data: DATA,
})

/**
 * Events that all exist at one moment, for one webhook each, measured until the last has arrived:
 * once as queued deliveries, once as events that still have to become deliveries.
 */
export async function webhookVariants(world: World): Promise<Variant[]> {
  const accounts = world.accounts.slice(0, WEBHOOKS).map(({ id }) => id)
  const receiver = await world.start<{ port: number }>('receiverProgram.ts', [])
  const port = String(receiver.ready.port)
  const url = world.postgres.url('ergon_app')
  const worker = await world.start('webhooksProgram.ts', [url, port, ...accounts])
  world.profiled = worker.child
  const sender = await world.start('senderProgram.ts', [port, String(WEBHOOKS * AT_ONCE), BODY])
  const measure = async (count: number, begin: () => Promise<unknown> | unknown) => {
    const arrived = arrivals(receiver.child, count)
    await begin()
    const began = performance.timeOrigin + performance.now()
    const offsets = (await arrived).map((at) => Math.max(0, at - began))
    return { ...summary(offsets), perSecond: (count / Math.max(...offsets)) * 1_000 }
  }
  const countOf = (seconds: number) => Math.round(seconds * PER_SECOND)
  return [
    {
      name: queued,
      server: worker.pid,
      async run(seconds) {
        const count = countOf(seconds)
        await tell(worker.child, 'hold')
        await emit(world, accounts, count)
        await untilQueued(world, count)
        return measure(count, () => tell(worker.child, 'go'))
      },
    },
    {
      name: whole,
      server: worker.pid,
      run: (seconds) => measure(countOf(seconds), () => emit(world, accounts, countOf(seconds))),
    },
    {
      name: bare,
      server: sender.pid,
      run: (seconds) => measure(countOf(seconds), () => sender.child.send(countOf(seconds))),
    },
  ]
}

function tell(worker: ChildProcess, word: 'hold' | 'go'): Promise<unknown> {
  const done = new Promise((resolve) => worker.once('message', resolve))
  worker.send(word)
  return done
}

async function untilQueued({ admin }: World, count: number): Promise<void> {
  for (;;) {
    const { rows } = await admin.query(
      `select count(*)::int as count from webhooks.delivery where state = 'pending'`,
    )
    if (rows[0].count === count) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function arrivals(receiver: ChildProcess, count: number): Promise<Arrivals> {
  const answered = new Promise<Arrivals>((resolve) => {
    receiver.once('message', (times) => resolve(times as Arrivals))
  })
  receiver.send(count)
  return answered
}

/** One statement, so one commit: the worker sees all of them or none. */
async function emit({ admin }: World, accounts: string[], count: number) {
  await admin.query(
    `select events.emit_many(
        array_agg(uuidv7()), array_agg(a.ids[1 + n % array_length(a.ids, 1)]),
        array_agg('balance.credited'::text), array_agg(gen_random_uuid()::text), array_agg(now()),
        array_agg('bench'::text), array_agg($2::json))
       from generate_series(1, $3::integer) n, (select $1::uuid[] as ids) a`,
    [accounts, JSON.stringify(DATA), count],
  )
}
