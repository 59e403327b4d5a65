import { fillTable, stopwatch, withClients } from './old/generate.ts'
import { removeIndexes } from './old/indexes.ts'

// A year of orders, straight into the tables of the ledger and of the books.

const CLIENTS = 1_000
const PRICE = 1_950_000
const COST = 1_170_000
const ENERGY = 65_000

type Year = {
  orders: number
  /** Midnight after the last day. */
  end: Date
  /** The last orders: their movements are written, and their sums are left to a worker. */
  uncounted: number
  tell(line: string): void
}

/**
 * Each order is bought, delivered three seconds later and, if a marketplace did it, paid for. The sums come from the same numbers
 * as the movements, and the comparison of every day says whether they are the ledger's. Only orders that a worker is to count
 * have deliveries: nobody reads the others.
 */
export async function generateYear(adminUrl: string, year: Year): Promise<void> {
  const { orders, end, uncounted, tell } = year
  const counted = orders - uncounted
  const beginning = `'${new Date(end.getTime() - 365 * 86_400_000).toISOString()}'::timestamptz`
  const timed = stopwatch(tell)
  await withClients(adminUrl, 2, async ([one, other]) => {
    for (const client of [one!, other!]) {
      await client.query(`set session_replication_role = 'replica'`)
    }
    await one!.query(`select ledger.open_providers(array['bazaar', 'souk', 'agora'])`)
    const all = ordersOf(beginning, orders, [0, orders - 1])
    const late = ordersOf(beginning, orders, [counted, orders - 1])
    const early = ordersOf(beginning, orders, [0, counted - 1])
    const tables = ['ledger.movement', 'books.daily']
    const removed = await removeIndexes(one!, tables)
    const fill = (client: typeof one, table: string, insert: string) =>
      timed(table, () => fillTable(client!, { table, insert }, removed.of(table)))
    await Promise.all([
      fill(one, 'ledger.movement', movements(all)),
      (async () => {
        await fill(other, 'books.daily', sums(early))
        for (const [name, insert] of Object.entries({ ...books(early), ...deliveries(late) })) {
          await timed(name, () => other!.query(insert))
        }
      })(),
    ])
    for (const create of removed.foreign) await one!.query(create)
    await one!.query(
      `update books.checkpoint set upto = db.id_at(${beginning} + ${counted} * ${step(orders)})`,
    )
    await one!.query(
      'update ledger.sums set upto = (select id from ledger.movement order by id desc limit 1)',
    )
    await timed('vacuum', async () => {
      for (const table of [
        ...tables,
        'books.daily_total',
        'books.client_month',
        'delivery.part',
        'delivery.delegation',
      ]) {
        await one!.query(`vacuum (analyze) ${table}`)
      }
    })
  })
}

const step = (orders: number) => `(interval '365 days' / ${orders}::float8)`

/** Orders in the order of time. `head` and `later` begin the ids of the purchase and of the delivery. */
const ordersOf = (beginning: string, orders: number, [from, to]: [number, number]) => `
  (select g.n, g.at, g.at + interval '3 s' as done, left(db.id_at(g.at)::text, 13) as head,
          left(db.id_at(g.at + interval '3 s')::text, 13) as later, lpad(to_hex(g.n), 12, '0') as tail,
          (array['own_stake', 'bazaar', 'souk', 'agora'])[g.n / ${CLIENTS} % 4 + 1] as provider,
          md5((g.n % ${CLIENTS})::text)::uuid as client
     from (select n, ${beginning} + n * ${step(orders)} as at
             from generate_series(${from}::bigint, ${to}::bigint) as n offset 0) g offset 0) o`

const idOf = (head: string, kind: number) => `(o.${head} || '-700${kind}-8000-' || o.tail)::uuid`

const movements = (orders: string) => `
  (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
  select m.* from ${orders} cross join lateral (
    select 'purchase', ${idOf('head', 0)}::text, ${idOf('head', 3)}, o.client, o.n / ${CLIENTS} + 1, 0::bigint, 'client', 'escrow:orders',
           ${PRICE}::bigint, '', o.at
    union all
    select 'deliver', ${idOf('head', 0)}::text, ${idOf('later', 4)}, null, null, null, 'escrow:orders', 'income:energy',
           ${PRICE}, '', o.done
    union all
    select 'provider_cost', ${idOf('head', 2)}::text, ${idOf('later', 5)}, null, null, null, 'cost:provider:' || o.provider,
           'asset:provider_float:' || o.provider, ${COST}, '', o.done where o.provider <> 'own_stake') m`

const DAY = `(o.done at time zone 'UTC')::date`

const sums = (orders: string) => `
  (day, of_day, product, client_id, provider, line, amount_sun, movements)
  select s.day, s.day, 'api', s.client, s.provider, l.line, l.amount * s.orders, s.orders
    from (select ${DAY} as day, o.client, o.provider, count(*) as orders from ${orders} group by 1, 2, 3) s
   cross join lateral (values ('revenue', ${PRICE}::bigint), ('provider_cost', -${COST}::bigint)) as l(line, amount)
   where l.line = 'revenue' or s.provider <> 'own_stake'`

const books = (orders: string) => ({
  'books.daily_total': `
    insert into books.daily_total (day, product, provider, line, amount_sun, movements)
    select d.day, d.product, d.provider, d.line, sum(d.amount_sun), sum(d.movements)
      from books.daily d group by d.day, d.product, d.provider, d.line`,
  'books.client_month': `
    insert into books.client_month (month, product, client_id, provider, line, amount_sun, movements)
    select date_trunc('month', d.day)::date, d.product, d.client_id, d.provider, d.line, sum(d.amount_sun), sum(d.movements)
      from books.daily d group by 1, 2, 3, 4, 5`,
  'books.delivery_time': `
    insert into books.delivery_time (day, product, seconds, orders)
    select ${DAY}, 'api', 3, count(*) from ${orders} group by 1`,
  'books.day': 'insert into books.day (day) select distinct day from books.daily_total',
})

const deliveries = (orders: string) => ({
  'delivery.part': `
    insert into delivery.part (id, request_id, provider, energy, state)
    select ${idOf('head', 1)}, ${idOf('head', 0)}, o.provider, ${ENERGY}, 'delivered' from ${orders}`,
  'delivery.attempt': `
    insert into delivery.attempt (id, part_id, provider, state, energy, created_at)
    select ${idOf('head', 2)}, ${idOf('head', 1)}, o.provider, 'delivered', ${ENERGY}, o.at from ${orders}`,
  'delivery.delegation': `
    insert into delivery.delegation (txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number,
                                     delegated_at, reclaim_at, reclaimed_at, provider)
    select o.tail, ${idOf('head', 2)}, 'T', 'T', 1, ${ENERGY}, 1, o.at, o.at, o.at, o.provider from ${orders}`,
})
