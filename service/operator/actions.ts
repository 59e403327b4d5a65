import { isRefusal, type Refusal } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type ActionRow, insertAction, insertOutcome, listActions } from './store.ts'

/** An operator's action: who, what, on which subject, and why. */
export type Deed = { who: string; what: string; subject: string; why: string }
/** Result of an action: the answer, and the change for the log. */
export type Done<T> = { reply: T; change: Record<string, unknown> }

/** Which actions: of a person, on a thing, from a time and before another, and before an id of an earlier page. */
export type Asked = {
  limit: number
  before?: string | undefined
  who?: string | undefined
  subject?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

export type Actions = {
  /** Logs the action, runs it, and logs the outcome. */
  perform<T>(deed: Deed, work: () => Promise<Done<T> | Refusal>): Promise<T | Refusal>
  /** Newest first. */
  list(asked: Asked): Promise<ActionRow[]>
}

export function createActions({ db, runtime }: { db: Db; runtime: Runtime }): Actions {
  return {
    async perform({ who, what, subject, why }, work) {
      const id = runtime.ids.next()
      await db.query(insertAction, [id, who, what, subject, why.trim(), runtime.clock.now()])
      const end = (done: boolean, change: Record<string, unknown>) =>
        db.query(insertOutcome, [id, done, asJson(change)])
      // After an error the outcome is unknown, so the action stays without one.
      const result = await work()
      if (isRefusal(result)) {
        await end(false, { refused: result.refused, ...result.extra })
        return result
      }
      await end(true, result.change)
      return result.reply
    },
    list: ({ limit, before, who, subject, from, to }) =>
      db.query(listActions, [
        before ?? null,
        limit,
        who ?? null,
        subject ?? null,
        from ?? null,
        to ?? null,
      ]),
  }
}

/** Amounts as text: JSON has no integers of this size. */
function asJson(change: Record<string, unknown>): string {
  return JSON.stringify(change, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
}
