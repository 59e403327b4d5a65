import { statement } from '../../db/index.ts'

/** Makes marketplaces known: $2 is how each is compared, $4 when for the first time. */
export const addSources = statement(
  'books.addStatementSources',
  `
  insert into books.statement_source as s (provider, way, known_since, due_at)
  select g.provider, g.way, $3, $4 from unnest($1::text[], $2::text[]) as g(provider, way)
  on conflict (provider) do update set way = excluded.way where s.way <> excluded.way
`,
)

export type SourceRow = {
  provider: string
  way: 'orders' | 'balance' | 'none'
  beganAt: Date
  page: string | null
  pages: bigint
  readUpto: Date | null
  openSince: Date | null
  failures: bigint
}

/**
 * Leases one to this worker when it is due: $3 names the round, $4 is wall time. A reading that began more than an hour
 * ago begins anew: its pages have moved.
 */
export const claimSource = statement<SourceRow>(
  'books.claimStatementSource',
  `
  update books.statement_source s
     set leased_until = clock_timestamp() + interval '2 minutes', leased_by = $3,
         began_at = case when w.goes_on then s.began_at else $4 end,
         page = case when w.goes_on then s.page end,
         pages = case when w.goes_on then s.pages else 0 end
    from (select d.provider, coalesce(d.began_at > $4::timestamptz - interval '1 hour', false) as goes_on
            from books.statement_source d
           where d.provider = $1 and d.due_at <= $2
             and (d.leased_until is null or d.leased_until <= clock_timestamp())
             for update skip locked) w
   where s.provider = w.provider
  returning s.provider, s.way, s.began_at as "beganAt", s.page, s.pages, s.read_upto as "readUpto",
            s.open_since as "openSince", s.failures
`,
)

/** Returns no row when another worker has taken over. */
export const holdSource = statement<{
  anchorAt: Date | null
  anchor: bigint | null
  balance: bigint | null
  carried: bigint
}>(
  'books.holdStatementSource',
  `
  select anchor_at as "anchorAt", anchor_sun as anchor, balance_sun as balance, carried_sun as carried
    from books.statement_source where provider = $1 and leased_by = $2
     for update
`,
)

/** The same charge on two pages, or in two readings, is one row; it is what was said last. */
export const writeCharges = statement(
  'books.writeCharges',
  `
  insert into books.statement_row as r (provider, entry_id, order_id, reference, amount_sun, at, receiver, energy, read_at)
  select distinct on (g.entry_id) $1, g.entry_id, g.order_id, g.reference, g.amount, g.at, g.receiver, g.energy, $9
    from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::text[], $8::bigint[])
         as g(entry_id, order_id, reference, amount, at, receiver, energy)
   order by g.entry_id
  on conflict (provider, entry_id) do update
     set amount_sun = excluded.amount_sun, read_at = excluded.read_at
`,
)

export const turnPage = statement(
  'books.turnStatementPage',
  `
  update books.statement_source set page = $3, pages = pages + 1 where provider = $1 and leased_by = $2
`,
)

/** Ends a round of a reading that goes on. */
export const releaseSource = statement(
  'books.releaseStatementSource',
  `
  update books.statement_source set leased_until = null, leased_by = null where provider = $1 and leased_by = $2
`,
)

/** $4: why it could not be compared; $3: when it is tried again. */
export const failSource = statement(
  'books.failStatementSource',
  `
  update books.statement_source
     set leased_until = null, leased_by = null, began_at = null, page = null, pages = 0, due_at = $3, trouble = $4,
         failures = failures + 1
   where provider = $1 and leased_by = $2
`,
)

/** $3: when it is compared next; $4: now; $5: the time of theirs up to which was read; $6: the oldest attempt that is not over. */
export const finishSource = statement(
  'books.finishStatementSource',
  `
  update books.statement_source
     set leased_until = null, leased_by = null, began_at = null, page = null, pages = 0, due_at = $3, compared_at = $4,
         read_upto = $5, open_since = $6, trouble = null, failures = 0
   where provider = $1 and leased_by = $2
`,
)

/** A marketplace that cannot be compared was not compared. */
export const skipSource = statement(
  'books.skipStatementSource',
  `
  update books.statement_source
     set leased_until = null, leased_by = null, began_at = null, due_at = $3, compared_at = null, trouble = null, failures = 0
   where provider = $1 and leased_by = $2
`,
)

export const keepAnchor = statement(
  'books.keepStatementAnchor',
  `
  update books.statement_source set anchor_at = $3, anchor_sun = $4, balance_sun = $5, carried_sun = $6
   where provider = $1 and leased_by = $2
`,
)

/** Those of $1, or all; due at once. A reading that is under way goes on. */
export const askSources = statement<{ provider: string }>(
  'books.askStatementSources',
  `
  update books.statement_source set due_at = least(due_at, $2)
   where way <> 'none' and ($1::text is null or provider = $1)
  returning provider
`,
)

/** $2: to stay within the 90 days that the table keeps; a difference that is open needs its rows. */
export const pruneCharges = statement<{ rows: bigint }>(
  'books.pruneCharges',
  `
  with gone as (
    delete from books.statement_row r
     using (select o.provider, o.entry_id from books.statement_row o
             where o.at < $1
               and not exists (select from books.statement_difference d
                                where d.provider = o.provider and d.subject = o.subject and d.state in ('open', 'claimed'))
             limit $2
               for update skip locked) old
     where r.provider = old.provider and r.entry_id = old.entry_id
    returning r.entry_id
  )
  select count(*) as rows from gone
`,
)
