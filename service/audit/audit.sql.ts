import { statement } from '../db/index.ts'

export const advanceCheckpoints = statement(
  'audit.advanceCheckpoints',
  `
  insert into audit.checkpoint as c (account_id, version, balance_sun)
  select a.id, a.version, a.balance_sun from ledger.account a
    left join audit.checkpoint o on o.account_id = a.id
   where a.version <> coalesce(o.version, 0)
  on conflict (account_id) do update set version = excluded.version, balance_sun = excluded.balance_sun
`,
)

export const insertFinding = statement(
  'audit.insertFinding',
  `
  insert into audit.finding (id, invariant, sentence, example, found_at) values ($1, $2, $3, $4, $5)
`,
)

/** All invariants are checked on one snapshot, because the service keeps selling meanwhile. */
export const repeatableRead = statement(
  'audit.repeatableRead',
  `
  set transaction isolation level repeatable read
`,
)

export type FindingRow = {
  id: string
  invariant: string
  promise: string
  example: unknown
  foundAt: Date
}

export const listFindings = statement<FindingRow>(
  'audit.listFindings',
  `
  select id, invariant, sentence as promise, example, found_at as "foundAt"
    from audit.finding order by found_at desc, id desc limit $1
`,
)

export const countFindings = statement<{ count: bigint }>(
  'audit.countFindings',
  `select count(*) as count from audit.finding where found_at > $1`,
)
