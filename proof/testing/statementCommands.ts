import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Market } from './market.ts'
import type { runningErgon } from './runningErgon.ts'

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both'> & { market: Market }

/** A difference that was found is listed, shown with what each decision books, and decided once. */
export async function decideStatements({ ergon, both, market }: Given) {
  const [none] = await both('statements', 'list')
  expect([none.code, none.out]).toEqual([0, 'No marketplace has been compared yet.\n'])
  const by = ['--by', 'ann', '--why', 'a test']
  const nothing = await ergon(['statements', 'run', ...by])
  expect([nothing.code, nothing.err]).toEqual([1, 'No marketplace can be compared.\n'])

  const { sql } = market.database
  const id = randomUUID()
  await sql(
    `insert into ledger.own_account (name) values ('cost:provider:bazaar'), ('asset:provider_float:bazaar')`,
  )
  await sql(`insert into books.statement_source (provider, way, known_since, due_at, trouble)
    values ('bazaar', 'orders', now(), now() + interval '1 day', 'status 503')`)
  await sql(`insert into books.statement_day (provider, day, theirs_sun, ours_sun, matched, compared_at)
    values ('bazaar', now()::date, 1500000, 1000000, 1, now())`)
  await sql(
    `insert into books.statement_difference (id, provider, subject, day, kind, order_id, theirs_sun, ours_sun,
                                             first_seen_at, last_seen_at)
     values ($1, 'bazaar', 'o-1', '2026-10-31', 'other_amount', 'o-1', 1500000, 1000000, now(), now())`,
    [id],
  )
  const [list, json] = await both('statements', 'list')
  expect(list.code).toBe(1)
  for (const words of ['last try: status 503', 'theirs 1.5, ours 1 TRX, 1 orders', id, 'order o-1'])
    expect(list.out).toContain(words)
  expect(json.json).toMatchObject({ differences: [{ id, theirs: '1500000', state: 'open' }] })
  const run = await ergon(['statements', 'run', 'bazaar', ...by])
  expect([run.code, run.out]).toEqual([0, 'A worker compares bazaar within a minute.\n'])
  const [show] = await both('statements', 'show', id)
  const books = '0.5 TRX go from cost:provider:bazaar to asset:provider_float:bazaar'
  expect([show.code, show.out]).toEqual([0, expect.stringContaining(`accept: ${books}`)])
  expect(show.out).toContain('The difference is of 2026-10-31; that month stays as it is.')
  expect(show.out).toContain('dismiss: Nothing is booked')
  const accept = ['statements', 'decide', id, '--as', 'accept']
  const decided = await ergon([...accept, ...by])
  expect([decided.code, decided.out]).toEqual([0, expect.stringContaining(books)])
  const again = await ergon([...accept, ...by])
  expect([again.code, again.err]).toEqual([1, 'It is accepted already.\n'])
  const booked = `select from ledger.movement where kind = 'provider_correction' and amount_sun = 500000`
  expect(await sql(booked)).toHaveLength(1)
  const settled = await ergon(['statements', 'list', '--all', '--provider', 'bazaar'])
  expect([settled.code, settled.out]).toEqual([
    0,
    expect.stringMatching(/accepted by ann.*: a test/),
  ])
  const wrong = [['show', 'x'], ['decide', id, '--as', 'no'], ['list', '--from', 'x'], ['shut']]
  for (const words of wrong) expect((await ergon(['statements', ...words, ...by])).code).toBe(2)
}
