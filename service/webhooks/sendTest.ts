import { type Refusal, refuse, refuseFor } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createAllowance, isUuid, type Runtime } from '../kernel/index.ts'
import { type Attempts, isSuccess } from './attempt.ts'
import { jsonColumn } from './columns.ts'
import { noWebhook } from './endpoints.ts'
import { reasonOf } from './reason.ts'
import { insertTest, recordTest } from './sendTest.sql.ts'
import { findEndpoint, insertMessages, readReceivers } from './store.ts'
import { bodyOf } from './webhook.ts'

type Deps = { db: Db; runtime: Runtime; events: Events; attempts: Attempts }
export type SendTest = (account: string, id: string) => Promise<{ delivery: string } | Refusal>

const TESTS_PER_MINUTE = 10
const MINUTE_MS = 60_000
const MESSAGE = 'This is a test. Your webhook works.'
/** With the reason that the log of deliveries has. It leads to no private network: those are never connected to. */
const failedBy = (reason: string) =>
  refuse('delivery_failed', { message: `The test delivery did not succeed. ${reason}` })

/** One `notification.test`, signed and recorded like any delivery, tried once while the caller waits. */
export function createSendTest({ db, runtime, events, attempts }: Deps): SendTest {
  const { clock, ids } = runtime
  const allow = createAllowance(clock, { most: TESTS_PER_MINUTE, windowMs: MINUTE_MS })

  /** Writes the event, its bytes and its delivery, outside of the queue. */
  function prepare(account: string, id: string) {
    return db.transaction(async (tx) => {
      const type = 'notification.test' as const
      const delivery = ids.next()
      const now = clock.now()
      const data = { message: MESSAGE }
      const event = { account, type, subject: delivery, trace: delivery, data }
      const [eventId] = await events.emit(tx, [event])
      const body = bodyOf({ id: eventId!, type, createdAt: now, data: JSON.stringify(data) })
      await tx.query(insertMessages, [[eventId], [type], [delivery], jsonColumn([body]), now])
      await tx.query(insertTest, [delivery, id, eventId, now])
      return { id: delivery, type, body }
    })
  }

  return async (account, id) => {
    if (!isUuid(id) || !(await db.query(findEndpoint, [account, id]))[0]) return noWebhook
    const wait = allow(account)
    if (wait > 0) return refuseFor(wait)
    const [receiver] = await db.query(readReceivers, [[id]])
    if (!receiver) return noWebhook
    const message = await prepare(account, id)
    const attempt = await attempts.send(receiver, message)
    const { status, error } = attempt
    const delivered = isSuccess(status)
    const word = delivered ? null : (error ?? 'status')
    const values = [message.id, id, delivered, status, word, clock.now(), attempts.log(attempt)]
    await db.query(recordTest, values)
    return word === null ? { delivery: message.id } : failedBy(reasonOf(word, status)!)
  }
}
