import type { EventData, EventType } from '@ergon/contract'
import { stringifyJson } from '@ergon/tron'
import { type Claim, type Db, isTimeout, type Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { eventsToTake } from './due.sql.ts'
import {
  dropInterest,
  emitMany,
  type FeedRow,
  findEvent,
  prepareDays,
  readBetween,
  readFeed,
  readOfSubject,
  type SubjectRow,
  setInterest,
  takePending,
} from './store.ts'

export type NewEvent = {
  [T in EventType]: {
    account: string
    type: T
    /** Id of the object of the event. */
    subject: string
    trace: string
    data: EventData<T>
  }
}[EventType]

/** An event for a reader. `data` is JSON text, to be passed on unchanged. */
export type TakenEvent = {
  id: string
  account: string
  type: EventType
  createdAt: Date
  trace: string
  data: string
}

/** A place in the feed of an account: after this event of this transaction. */
export type FeedPlace = Pick<FeedRow, 'writtenBy' | 'id'>

/** Before every event. */
export const FEED_START: FeedPlace = { writtenBy: '0', id: '00000000-0000-0000-0000-000000000000' }

/** Rooms that send events on. */
export type Reader = 'webhooks' | 'chat'

export type Events = {
  /** Writes events in the caller's transaction and returns their ids. Readers send them after the commit. */
  emit(tx: Tx, events: readonly NewEvent[]): Promise<string[]>
  /** From this commit on the reader gets these types of the account's events, and no others. */
  listen(tx: Tx, reader: Reader, account: string, types: readonly EventType[]): Promise<void>
  /** Takes and deletes the reader's pending events; the reader handles them in the same transaction. */
  take(tx: Tx, reader: Reader, claim: Claim): Promise<TakenEvent[]>
  /** The account's events of these types after a place, in the order of their transactions. */
  feed(
    account: string,
    asked: { after: FeedPlace; types: readonly EventType[]; limit: number },
  ): Promise<FeedRow[]>
  /** The account's events of a time, in the order in which they happened. */
  between(
    tx: Tx,
    account: string,
    asked: { from: Date; to: Date; types: readonly EventType[]; limit: number },
  ): Promise<{ id: string; createdAt: Date }[]>
  /** The account's events about these things within a time; for operators. */
  ofSubjects(
    account: string,
    asked: { subjects: readonly string[]; from: Date; to: Date },
  ): Promise<SubjectRow[]>
  /** Undefined when it was dropped. */
  find(tx: Tx, id: string, createdAt: Date): Promise<TakenEvent | undefined>
  /** SQL condition that holds while events wait for this reader. */
  due(reader: Reader): string
  /** Creates the partitions of the week from the given day, by default today. */
  prepare(from?: Date): Promise<void>
  loop: Loop
}

const DAYS_AHEAD = 7
const DAY_MS = 86_400_000

export function createEvents({ db, runtime, log }: { db: Db; runtime: Runtime; log: Log }): Events {
  const { clock, ids } = runtime

  async function prepare(from = clock.now()) {
    const last = new Date(from.getTime() + DAYS_AHEAD * DAY_MS)
    try {
      await db.query(prepareDays, [isoDay(from), isoDay(last)])
    } catch (error) {
      // Somebody holds the table. There is a week of time, and the default partition takes what comes earlier.
      if (!isTimeout(error)) throw error
      log.warn('days_not_prepared', { error })
    }
  }

  return {
    async emit(tx, events) {
      const column = <T>(pick: (event: NewEvent) => T) => events.map(pick)
      const now = clock.now()
      const made = column(() => ids.next())
      await tx.query(emitMany, [
        made,
        column((e) => e.account),
        column((e) => e.type),
        column((e) => e.subject),
        column(() => now),
        column((e) => e.trace),
        column((e) => stringifyJson(e.data)),
      ])
      return made
    },
    async listen(tx, reader, account, types) {
      if (types.length === 0) await tx.query(dropInterest, [account, reader])
      else await tx.query(setInterest, [account, reader, types, clock.now()])
    },
    async take(tx, reader, { most, skip, took }) {
      const rows = await tx.query(takePending, [reader, most, skip])
      took(rows.map(({ id }) => id))
      return rows.map((row) => ({ ...row, type: row.type as EventType }))
    },
    feed: (account, { after, types, limit }) =>
      db.query(readFeed, [account, after.writtenBy, after.id, limit, types]),
    between: (tx, account, { from, to, types, limit }) =>
      tx.query(readBetween, [account, from, to, types, limit]),
    ofSubjects: (account, { subjects, from, to }) =>
      db.query(readOfSubject, [account, subjects, from, to]),
    async find(tx, id, createdAt) {
      const [row] = await tx.query(findEvent, [id, createdAt])
      return row && { ...row, type: row.type as EventType }
    },
    due: eventsToTake,
    prepare,
    loop: createLoop({
      name: 'events.prepareDays',
      everyMs: 3_600_000,
      log,
      work: () => prepare().then(() => 0),
    }),
  }
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
