import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { insertNote, listNotes, type NoteRow } from './notes.sql.ts'

/** What operators write down about clients, for each other. */
export type Notes = {
  /** False: there is no such account. */
  add(account: string, text: string, who: string): Promise<boolean>
  /** Newest first. */
  list(account: string, limit: number): Promise<NoteRow[]>
}

export function createNotes({ db, runtime }: { db: Db; runtime: Runtime }): Notes {
  return {
    async add(account, text, who) {
      const values = [runtime.ids.next(), account, text, who, runtime.clock.now()]
      return (await db.query(insertNote, values)).length > 0
    },
    list: (account, limit) => db.query(listNotes, [account, limit]),
  }
}
