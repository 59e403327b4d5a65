import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { type GroupRow, insertGroup, listGroups, moveToGroup, readGrouped } from './clients.sql.ts'
import { CLIENTS } from './due.sql.ts'

/** What operators decide about clients, and other rooms ask for with every request. */
export type Clients = {
  /** The name of the account's group, from memory; undefined: it is in none. */
  groupOf(account: string): string | undefined
  groups(): Promise<GroupRow[]>
  /** False when there is a group of this name. */
  createGroup(name: string): Promise<boolean>
  /** Null: out of its group. Returns the group before. */
  move(account: string, group: string | null): Promise<Moved>
  /** Reads what is kept in memory; the loop repeats it when something changes. */
  refresh(): Promise<void>
  loop: Loop
}

export type Moved = { before: string | null } | 'no_account' | 'no_group'

/** Lower-case letters, digits and hyphens; `none` is the word of the command for no group. */
export const isGroupName = (name: string) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) && name !== 'none'

export function createClients({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Clients {
  let groups = new Map<string, string>()
  let asked = 0
  let kept = 0

  // A read that was asked earlier may answer later; it must not bring back what was changed.
  async function refresh() {
    const turn = ++asked
    const rows = await db.query(readGrouped)
    if (turn < kept) return
    kept = turn
    groups = new Map(rows.map(({ account, group }) => [account, group]))
  }

  return {
    groupOf: (account) => groups.get(account),
    groups: () => db.query(listGroups),
    createGroup: async (name) => (await db.query(insertGroup, [name, clock.now()])).length > 0,
    async move(account, group) {
      try {
        const [moved] = await db.query(moveToGroup, [account, group])
        if (!moved) return 'no_account'
        await refresh()
        return moved
      } catch (error) {
        if ((error as { constraint?: string }).constraint === 'group_is_known') return 'no_group'
        throw error
      }
    },
    refresh,
    loop: createLoop({
      name: 'identity.readClients',
      everyMs: 1_000,
      follows: CLIENTS,
      log,
      work: () => refresh().then(() => 0),
    }),
  }
}
