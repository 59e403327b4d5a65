import { statement } from '../db/index.ts'

/** Addresses to ask the node for before others: those with a mark in a solid block, and those that differ. */
export const readFirst = statement<{ address: string }>(
  'deposits.readFirst',
  `
  (select address from deposits.holding where look_block <= $1 order by look_block, address limit $2)
  union
  (select address from deposits.holding where difference_sun <> 0 order by read_at, address limit $2)
`,
)

export type BookedRow = { address: string; amount: bigint }

export const readBooked = statement<BookedRow>(
  'deposits.readBooked',
  `
  select g.address, coalesce(h.amount_sun, 0) as amount
    from unnest($1::text[]) as g(address) left join deposits.holding h on h.address = g.address
`,
)

/** Money on addresses that never had a deposit. */
export const openHoldings = statement(
  'deposits.openHoldings',
  `
  insert into deposits.holding (address, amount_sun) select g, 0 from unnest($1::text[]) as g order by g
  on conflict (address) do nothing
`,
)

export type ReadingRow = { address: string; before: bigint; difference: bigint }

/**
 * Writes what was read of addresses at rest. One whose booked amount ($2) has changed since, that has a sweep
 * under way or a deposit that is not final would show a difference that is none: it is read in the next round.
 */
export const writeReadings = statement<ReadingRow>(
  'deposits.writeReadings',
  `
  with locked as materialized (
    select h.address, h.amount_sun, h.difference_sun from deposits.holding h
     where h.address = any ($1::text[]) order by h.address for update
  )
  update deposits.holding h
     set difference_sun = g.balance - h.amount_sun, read_at = $4,
         look_block = case when h.look_block > $5 then h.look_block end
    from unnest($1::text[], $2::bigint[], $3::bigint[]) as g(address, booked, balance), locked l
   where h.address = g.address and l.address = h.address and h.amount_sun = g.booked
     and not exists (select from deposits.sweep s where s.address = h.address and s.state = 'open')
     and h.address <> all (array(select d.address from deposits.deposit d
                                  where d.verified_at is null and d.status <> 'reverted'))
  returning h.address, l.difference_sun as before, h.difference_sun as difference
`,
)

/** Addresses to which something happens that our books do not follow. */
export const markHoldings = statement(
  'deposits.markHoldings',
  `
  insert into deposits.holding as h (address, amount_sun, look_block)
  select g, 0, $2 from unnest($1::text[]) as g group by g order by g
  on conflict (address) do update set look_block = greatest(h.look_block, excluded.look_block)
`,
)

export const readPass = statement<{ position: bigint }>(
  'deposits.readPass',
  `select position from deposits.pass`,
)

/** $1 null: it was the last slice, and the next pass begins. */
export const writePass = statement(
  'deposits.writePass',
  `
  update deposits.pass p
     set position = coalesce($1, -1), counted = case when $1::bigint is null then 0 else p.counted + $2 end,
         held = case when $1::bigint is null then p.counted + $2 else p.held end,
         passes = p.passes + case when $1::bigint is null then 1 else 0 end
`,
)
