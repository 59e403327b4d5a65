import { createApart, type Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime, within } from '../kernel/index.ts'
import type { Attempt, Attempts, Outcome } from './attempt.ts'
import {
  claimQueues,
  type DueRow,
  lockQueues,
  readDue,
  releaseQueues,
  renewQueues,
} from './deliver.sql.ts'
import { QUEUES_TO_SEND } from './due.sql.ts'
import { createRecorder } from './record.ts'
import { failPending, type ReceiverRow, readReceivers } from './store.ts'

/** A queue leased by this process: no other process sends for this webhook. */
type Held = {
  receiver: ReceiverRow | undefined
  /** Read ahead, in the order they are due. */
  waiting: DueRow[]
  /** Being sent, or answered without a written outcome. */
  open: Set<string>
  sending: number
  /** The last read returned everything; new deliveries wake the loop. */
  isReadToEnd: boolean
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  attempts: Attempts
  disable(webhook: string, reason: string): Promise<void>
  /** Aborts running exchanges. */
  abortExchanges(): Promise<void>
}

const AT_ONCE_PER_WEBHOOK = 4
/** Failures after which a receiver gets one connection only, so that dead receivers do not fill the process. */
const FAILURES_IN_DOUBT = 5
const AT_ONCE = 2_000
const QUEUES_PER_ROUND = 500
/** Deliveries read ahead per queue; fewer with many queues. */
const READ_AHEAD = 192
const READ_AHEAD_MIN = 8
const READ_AHEAD_ALL = 16_384
const LEASE_MS = 10_000
const RENEW_MS = 2_000
const POLL_MS = 250
const DRAIN_MS = 1_000

/**
 * Sends due deliveries, one queue per webhook, so that a slow receiver delays only itself. At least
 * once: a delivery is done when its outcome is written, and another process takes over the queues of a
 * dead one when their lease ends.
 */
export function createDelivering(deps: Deps): Loop {
  const { db, runtime, log, attempts } = deps
  const { clock } = runtime
  let holder: string | undefined
  const held = new Map<string, Held>()
  const apart = createApart({ db, clock, log }, { loop: 'webhooks.deliver', kind: 'webhook' })
  let underWay = 0
  let onQuiet = () => {}
  let renewedMs = 0
  let ending = false

  const recorder = createRecorder({
    db,
    clock,
    log,
    onHopeless: deps.disable,
    onRecorded(outcomes) {
      for (const { id, webhook } of outcomes) held.get(webhook)?.open.delete(id)
      for (const webhook of new Set(outcomes.map((outcome) => outcome.webhook)))
        sendWaiting(webhook)
    },
  })

  function sendWaiting(webhook: string) {
    const queue = held.get(webhook)
    if (!queue) return
    const { receiver, waiting } = queue
    if (!receiver || ending || !recorder.isHealthy() || leaseIsOld()) return
    const most = receiver.failures >= FAILURES_IN_DOUBT ? 1 : AT_ONCE_PER_WEBHOOK
    while (queue.sending < most && underWay < AT_ONCE && waiting.length > 0) {
      send(queue, receiver, waiting.shift()!)
    }
  }

  /** True after half of the lease without a renewal: another process may take our queues soon. */
  const leaseIsOld = () => clock.elapsedMs() - renewedMs > LEASE_MS / 2

  function send(queue: Held, receiver: ReceiverRow, delivery: DueRow) {
    queue.open.add(delivery.id)
    queue.sending += 1
    underWay += 1
    begin(receiver, delivery).then((attempt) => {
      underWay -= 1
      queue.sending -= 1
      recordAttempt(receiver, delivery, attempt)
      sendWaiting(delivery.webhook)
      if (queue.waiting.length < readAheadOf() / 2 && !queue.isReadToEnd) loop.wake()
      if (underWay === 0) onQuiet()
    })
  }

  function begin(receiver: ReceiverRow, delivery: DueRow): Promise<Attempt> {
    try {
      return attempts.send(receiver, delivery)
    } catch (error) {
      log.error('webhook_attempt_failed', { error, trace: delivery.trace })
      return Promise.resolve({ status: null, error: 'internal_error', retryAfter: null })
    }
  }

  function recordAttempt(receiver: ReceiverRow, delivery: DueRow, attempt: Attempt) {
    // Aborted by us: no fault of the receiver. The next holder of the queue sends it again.
    if (attempt.error === 'aborted') return
    const outcome = attempts.judge(delivery, attempt)
    receiver.failures = outcome.state === 'delivered' ? 0 : receiver.failures + 1
    if (outcome.gone) dropWaiting(outcome)
    recorder.add(outcome)
  }

  function dropWaiting({ webhook }: Outcome) {
    const queue = held.get(webhook)
    if (queue) queue.waiting = []
  }

  async function renewAndClaim(): Promise<number> {
    holder ??= runtime.ids.next()
    if (held.size > 0 && clock.elapsedMs() - renewedMs > RENEW_MS) {
      const at = clock.elapsedMs()
      const kept = await db.query(renewQueues, [holder, LEASE_MS / 1_000, [...held.keys()]])
      const ours = new Set(kept.map(({ id }) => id))
      for (const webhook of held.keys()) if (!ours.has(webhook)) held.delete(webhook)
      renewedMs = at
    }
    const at = clock.elapsedMs()
    const asked = [holder, LEASE_MS / 1_000, QUEUES_PER_ROUND, clock.now()]
    const claimed = await db.query(claimQueues, asked)
    if (held.size === 0) renewedMs = at
    for (const { id } of claimed.filter((queue) => !held.has(queue.id))) {
      const nothing = { receiver: undefined, waiting: [], open: new Set<string>(), sending: 0 }
      held.set(id, { ...nothing, isReadToEnd: false })
    }
    return claimed.length
  }

  const readAheadOf = () =>
    Math.min(READ_AHEAD, Math.max(READ_AHEAD_MIN, Math.floor(READ_AHEAD_ALL / held.size)))

  /** Reads more deliveries for queues that run low, and the data of their webhooks. */
  async function readAhead(): Promise<void> {
    const ahead = readAheadOf()
    // All queues that run low, not only the one that woke us, so that one query serves them.
    const low = [...held].filter(([, { waiting }]) => waiting.length < ahead * 0.75)
    const inHand = low.flatMap(([, { waiting, open }]) => [...waiting.map(({ id }) => id), ...open])
    const room = low.map(([, { waiting }]) => ahead - waiting.length)
    const [due, receivers] = await Promise.all([
      low.length > 0 ? db.query(readDue, [low.map(([id]) => id), room, inHand, clock.now()]) : [],
      db.query(readReceivers, [[...held.keys()]]),
    ])
    for (const receiver of receivers) {
      const queue = held.get(receiver.id)
      if (queue) queue.receiver = receiver
    }
    const found = Map.groupBy(due, (delivery) => delivery.webhook)
    for (const [index, [webhook, queue]] of low.entries()) {
      const more = found.get(webhook) ?? []
      queue.waiting.push(...more)
      queue.isReadToEnd = more.length < room[index]!
    }
  }

  /** Marks the pending deliveries of inactive webhooks as failed. */
  async function failInactive(): Promise<void> {
    const inactive = [...held].filter(
      ([, { receiver, waiting }]) => !receiver?.active && waiting.length > 0,
    )
    await apart.each(
      inactive,
      ([webhook]) => webhook,
      async ([webhook, queue]) => {
        queue.waiting = []
        await db.query(failPending, [webhook, 'webhook_disabled'])
      },
    )
  }

  async function release(ids: string[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) held.delete(id)
    await apart.together(
      ids,
      (id) => id,
      (some) =>
        db.transaction(async (tx) => {
          const locked = await tx.query(lockQueues, [holder, some])
          if (locked.length > 0) await tx.query(releaseQueues, [locked.map(({ id }) => id)])
        }),
    )
  }

  async function work(): Promise<number> {
    // Outcomes are written in the background. Waiting for all of them would stop sending, so only failed
    // writes are retried here.
    if (!recorder.isHealthy() || recorder.hasLater()) await recorder.flush()
    const claimed = await renewAndClaim()
    if (held.size === 0) return 0
    await readAhead()
    await failInactive()
    for (const webhook of held.keys()) sendWaiting(webhook)
    const idle = [...held].filter(([, { waiting, open }]) => waiting.length + open.size === 0)
    await release(idle.map(([id]) => id))
    return claimed === QUEUES_PER_ROUND ? claimed : 0
  }

  const loop = createLoop({
    name: 'webhooks.deliver',
    everyMs: POLL_MS,
    due: QUEUES_TO_SEND,
    log,
    work,
  })
  return {
    ...loop,
    async stop() {
      ending = true
      await loop.stop()
      const quiet = new Promise<void>((resolve) => {
        onQuiet = resolve
        if (underWay === 0) resolve()
      })
      await within(DRAIN_MS, quiet, undefined)
      await deps.abortExchanges()
      await quiet
      await recorder.flush()
      await release([...held.keys()]).catch((error) => {
        log.warn('webhook_queues_not_released', { error })
      })
    },
  }
}
