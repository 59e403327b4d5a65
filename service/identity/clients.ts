import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import {
  type GroupRow,
  insertGroup,
  listGroups,
  moveToGroup,
  readGrouped,
  readLimits,
  writeLimits,
} from './clients.sql.ts'
import { CLIENTS } from './due.sql.ts'

/** What operators decide about clients, and other rooms ask for with every request. */
export type Clients = {
  /** The name of the account's group, from memory; undefined: it is in none. */
  groupOf(account: string): string | undefined
  /** Limits of its own, from memory; empty for most. */
  limitsOf(account: string): ClientLimits
  /** Replaces all of them. False: there is no such account. */
  setLimits(account: string, limits: ClientLimits): Promise<boolean>
  groups(): Promise<GroupRow[]>
  /** False when there is a group of this name. */
  createGroup(name: string): Promise<boolean>
  /** Null: out of its group. Returns the group before. */
  move(account: string, group: string | null): Promise<Moved>
  /** Reads what is kept in memory; the loop repeats it when something changes. */
  refresh(): Promise<void>
  loop: Loop
}

/** Undefined: as for everybody. */
export type ClientLimits = {
  requestsPerMinute?: bigint | undefined
  /** What may be spent of credit whose block is not final, in SUN. */
  unverifiedCredit?: bigint | undefined
  /** Energy of the largest order. */
  orderMax?: bigint | undefined
}

const NO_LIMITS: ClientLimits = {}

export type Moved = { before: string | null } | 'no_account' | 'no_group'

/** Lower-case letters, digits and hyphens; `none` is the word of the command for no group. */
export const isGroupName = (name: string) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) && name !== 'none'

export function createClients({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Clients {
  let groups = new Map<string, string>()
  let limits = new Map<string, ClientLimits>()
  let asked = 0
  let kept = 0

  // A read that was asked earlier may answer later; it must not bring back what was changed.
  async function refresh() {
    const turn = ++asked
    const [rows, limited] = await Promise.all([db.query(readGrouped), db.query(readLimits)])
    if (turn < kept) return
    kept = turn
    groups = new Map(rows.map(({ account, group }) => [account, group]))
    limits = new Map(limited.map(({ account, ...row }) => [account, limitsIn(row)]))
  }

  return {
    groupOf: (account) => groups.get(account),
    limitsOf: (account) => limits.get(account) ?? NO_LIMITS,
    async setLimits(account, { requestsPerMinute, unverifiedCredit, orderMax }) {
      const values = [requestsPerMinute, unverifiedCredit, orderMax].map((one) => one ?? null)
      const written = await db.query(writeLimits, [account, ...values])
      await refresh()
      return written.length > 0
    },
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

type LimitColumns = { requests: bigint | null; credit: bigint | null; orderMax: bigint | null }

function limitsIn({ requests, credit, orderMax }: LimitColumns): ClientLimits {
  return {
    requestsPerMinute: requests ?? undefined,
    unverifiedCredit: credit ?? undefined,
    orderMax: orderMax ?? undefined,
  }
}
