import { type Statement, statement } from '../db/index.ts'

/** Rows that one statement looks at: some 20 ms of work, in an old service as in a young one. */
export const SLICE = 2_000

/** One slice: how many rows, the last key, the last key up to which all is final, and what is broken. */
export type SliceRow = {
  rows: bigint
  last: string | null
  settled: string | null
  broken: string | null
}

type Kept = {
  table: string
  key: string
  type: 'uuid' | 'timestamptz'
  /** Rows for which this holds do not change any more. */
  settled: string
  where?: string
  /** Old rows may still change, and there are few: without a checkpoint a run begins with the first. */
  fromFirst?: true
}

/** Tables that checks go through, each in the order of a unique index. Keys begin with the time of creation. */
const TABLES = {
  account: { table: 'ledger.account', key: 'id', type: 'uuid', settled: 'false' },
  charge: { table: 'autoenergy.charge', key: 'id', type: 'uuid', settled: 'true' },
  deposit: {
    table: 'deposits.deposit',
    key: 'id',
    type: 'uuid',
    settled: `t.verified_at is not null or t.status = 'reverted'`,
  },
  key: { table: 'orders.idempotency_key', key: 'created_at', type: 'timestamptz', settled: 'true' },
  /** Few at any time, and they change: looked at in every run. */
  liveSubscription: {
    table: 'autoenergy.subscription',
    key: 'id',
    type: 'uuid',
    settled: 'false',
    where: 't.live',
    fromFirst: true,
  },
  movement: { table: 'ledger.movement', key: 'id', type: 'uuid', settled: 'true' },
  order: {
    table: 'orders.purchase_order',
    key: 'id',
    type: 'uuid',
    settled: `t.status in ('COMPLETED', 'FAILED')`,
  },
  payment: {
    table: 'agent.payment',
    key: 'id',
    type: 'uuid',
    settled: `t.final_at is not null and t.status in ('completed', 'failed', 'skipped')
              and (not t.orphaned or t.compensated or t.status <> 'completed')`,
  },
  payout: {
    table: 'deposits.payout',
    key: 'id',
    type: 'uuid',
    settled: `t.state in ('paid', 'cancelled')`,
    fromFirst: true,
  },
  subscription: {
    table: 'autoenergy.subscription',
    key: 'id',
    type: 'uuid',
    settled: 'not t.live',
  },
} satisfies Record<string, Kept>

export type Table = keyof typeof TABLES

export type Check = {
  name: string
  table: Table
  /** $1: the key after which the slice begins; $2: the newest key that may count as final. */
  slice: Statement<SliceRow>
  /** Only the full pass does it: a run sees the same by another table. */
  inPassOnly: boolean
}

/** Its name in the database. */
export function tableOf(table: Table): string {
  return TABLES[table].table
}

/** The key before all others. */
export function firstKey(table: Table): string {
  return TABLES[table].type === 'uuid' ? '00000000-0000-0000-0000-000000000000' : '-infinity'
}

/** Where a run begins that has no checkpoint: the first key of a time, or the first of all. */
export function keyAt(table: Table, time: Date): string {
  const { type, fromFirst }: Kept = TABLES[table]
  if (fromFirst) return firstKey(table)
  if (type === 'timestamptz') return time.toISOString()
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/**
 * `broken` selects the rows of the slice `s` that break an invariant. Ties are taken together, because
 * several rows may have one time.
 */
export function check(name: string, table: Table, broken: string, inPassOnly = false): Check {
  const { table: of, key, type, settled, where = 'true' }: Kept = TABLES[table]
  const slice = statement<SliceRow>(
    `audit.${name}`,
    `
  with s as materialized (
    select t.*, t.${key} as place, ${settled} as is_settled
      from ${of} t where t.${key} > $1::${type} and ${where}
     order by t.${key} fetch first ${SLICE} rows with ties
  ), b as materialized (${broken})
  select (select count(*) from s) as rows,
         (select s.place::text from s order by s.place desc limit 1) as last,
         (select p.place::text
            from (select s.place, bool_and(s.is_settled) over (order by s.place) as are_settled from s) p
           where p.are_settled and p.place <= $2::${type} order by p.place desc limit 1) as settled,
         (select json_agg(e)::text from (select * from b limit 10) e) as broken`,
  )
  return { name, table, slice, inPassOnly }
}

/** A check for the full pass alone. */
export function passCheck(name: string, table: Table, broken: string): Check {
  return check(name, table, broken, true)
}

type Newest = { newest: string | null }

const newest = new Map<string, Statement<Newest>>()
for (const [name, { table, key }] of Object.entries(TABLES)) {
  const select = `select t.${key}::text as newest from ${table} t order by t.${key} desc limit 1`
  const newestName = `newest${name[0]!.toUpperCase()}${name.slice(1)}`
  newest.set(name, statement<Newest>(`audit.${newestName}`, select))
}

/** Selects the newest key of a table. */
export function newestOf(table: Table): Statement<Newest> {
  return newest.get(table)!
}
