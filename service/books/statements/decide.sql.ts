import { statement } from '../../db/index.ts'

export type DifferenceRow = {
  id: string
  provider: string
  day: string
  kind: 'never_asked' | 'other_amount' | 'not_charged' | 'charged_twice' | 'refunded' | 'balance'
  orderId: string | null
  attemptId: string | null
  theirs: bigint
  ours: bigint
  state: 'open' | 'claimed' | 'accepted' | 'dismissed' | 'closed'
  firstSeenAt: Date
  lastSeenAt: Date
  decidedBy: string | null
  why: string | null
  decidedAt: Date | null
  note: string | null
}

const COLUMNS = `
  d.id, d.provider, to_char(d.day, 'YYYY-MM-DD') as day, d.kind, d.order_id as "orderId", d.attempt_id as "attemptId",
  d.theirs_sun as theirs, d.ours_sun as ours, d.state, d.first_seen_at as "firstSeenAt", d.last_seen_at as "lastSeenAt",
  d.decided_by as "decidedBy", d.why, d.decided_at as "decidedAt", d.note`

/** Those that wait first, oldest first; then the others, newest first. $1: only those that wait; $2: of one marketplace. */
export const listDifferences = statement<DifferenceRow>(
  'books.listDifferences',
  `
  select ${COLUMNS} from books.statement_difference d
   where (not $1 or d.state in ('open', 'claimed')) and ($2::text is null or d.provider = $2)
   order by d.state not in ('open', 'claimed'),
            case when d.state in ('open', 'claimed') then d.first_seen_at end, d.first_seen_at desc, d.id
   limit $3
`,
)

export const readDifference = statement<DifferenceRow>(
  'books.readDifference',
  `select ${COLUMNS} from books.statement_difference d where d.id = $1`,
)

export const lockDifference = statement<DifferenceRow>(
  'books.lockDifference',
  `select ${COLUMNS} from books.statement_difference d where d.id = $1 for update`,
)

export const writeDecision = statement(
  'books.writeDecision',
  `
  update books.statement_difference
     set state = $2, decided_by = $3, why = $4, decided_at = $5,
         settled_sun = case when $2 in ('accepted', 'dismissed') then theirs_sun - ours_sun else 0 end
   where id = $1
`,
)

export type StatementDayRow = {
  provider: string
  day: string
  theirs: bigint
  ours: bigint
  matched: bigint
  open: bigint
  comparedAt: Date
}

/** Newest first, from day $1 until before $2. */
export const listDays = statement<StatementDayRow>(
  'books.listStatementDays',
  `
  select s.provider, to_char(s.day, 'YYYY-MM-DD') as day, s.theirs_sun as theirs, s.ours_sun as ours, s.matched,
         (select count(*) from books.statement_difference d
           where d.provider = s.provider and d.day = s.day and d.state in ('open', 'claimed')) as open,
         s.compared_at as "comparedAt"
    from books.statement_day s
   where s.day >= $1 and s.day < $2
   order by s.day desc, s.provider
   limit $3
`,
)

export type SourceStateRow = {
  provider: string
  way: 'orders' | 'balance' | 'none'
  comparedAt: Date | null
  knownSince: Date
  dueAt: Date
  trouble: string | null
  isReading: boolean
  open: bigint
  claimed: bigint
}

export const listSources = statement<SourceStateRow>(
  'books.listStatementSources',
  `
  select s.provider, s.way, s.compared_at as "comparedAt", s.known_since as "knownSince", s.due_at as "dueAt", s.trouble,
         s.began_at is not null as "isReading",
         count(d.id) filter (where d.state = 'open') as open, count(d.id) filter (where d.state = 'claimed') as claimed
    from books.statement_source s
    left join books.statement_difference d on d.provider = s.provider and d.state in ('open', 'claimed')
   group by s.provider
   order by s.provider
`,
)

export const oldestOpen = statement<{ since: Date | null }>(
  'books.readOldestOpenDifference',
  `select min(first_seen_at) as since from books.statement_difference where state = 'open'`,
)
