import { isRefusal, type Refusal } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type ActionRow, insertAction, insertOutcome, listActions } from './store.ts'

/** Who does it, what, to what, and why. */
export type Deed = { who: string; what: string; subject: string; why: string }
/** What a deed leads to: the answer, and what it changed. */
export type Done<T> = { reply: T; change: Record<string, unknown> }

export type Actions = {
  /** Runs a deed between its line in the log and its outcome. */
  perform<T>(deed: Deed, work: () => Promise<Done<T> | Refusal>): Promise<T | Refusal>
  /** Newest first. */
  list(limit: number, before?: string): Promise<ActionRow[]>
}

export function createActions({ db, runtime }: { db: Db; runtime: Runtime }): Actions {
  return {
    async perform({ who, what, subject, why }, work) {
      const id = runtime.ids.next()
      await db.query(insertAction, [id, who, what, subject, why.trim(), runtime.clock.now()])
      const end = (done: boolean, change: Record<string, unknown>) =>
        db.query(insertOutcome, [id, done, asJson(change)])
      // A fault may come before the change or after it, so the line stays open: nobody knows yet.
      const result = await work()
      if (isRefusal(result)) {
        await end(false, { refused: result.refused, ...result.extra })
        return result
      }
      await end(true, result.change)
      return result.reply
    },
    list: (limit, before) => db.query(listActions, [before ?? null, limit]),
  }
}

/** Amounts as text: JSON has no integers of this size. */
function asJson(change: Record<string, unknown>): string {
  return JSON.stringify(change, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
}
