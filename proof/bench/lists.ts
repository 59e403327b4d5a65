import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import type { World } from './world.ts'

const CONNECTIONS = 4
/** Orders per receiver, as with clients that serve the same wallets repeatedly. */
const ORDERS_PER_RECEIVER = 10
const TARGETS = 500
const FOLD_ROWS = 50_000
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const anyPage = 'any page with total, the largest account'
const partOfAddress = 'part of an address, the largest account'
const wholeAddress = 'a whole address, the largest account'
const others = 'any page with total, the other accounts'

export function listFigures(rows: number): Figure[] {
  const list = `GET /orders of ${rows.toLocaleString('en-US')}`
  return [anyPage, partOfAddress, wholeAddress, others].flatMap((name): Figure[] => [
    { figure: `${list}, ${name}: p95`, of: name, value: 'p95Ms', must: 10, atMost: true },
    { figure: `${list}, ${name}: p99`, of: name, value: 'p99Ms', aim: 5, atMost: true },
  ])
}

/** The first account has a tenth of all orders, the other accounts share the rest. */
export async function listVariants(world: World, rows: number): Promise<Variant[]> {
  const [large, ...small] = world.accounts
  const each = Math.max(1, Math.floor((rows * 0.9) / small.length))
  const ofLarge = Math.floor(rows / 10)
  await seedOrders(world, [large!.id], ofLarge)
  await seedOrders(
    world,
    small.map(({ id }) => id),
    each,
  )
  await foldAll(
    world,
    world.accounts.map(({ id }) => id),
  )
  await world.admin.query(
    'vacuum analyze orders.purchase_order, orders.pair, orders.filed_order, orders.folded',
  )
  const receivers = await sampleReceivers(world, large!.id)
  const { key } = large!
  const page = (total: number) => 1 + Math.floor(Math.random() * Math.ceil(total / 20))
  const list = (query: string) => `/v1/orders?${query}`
  const many = <T>(make: (index: number) => T) => Array.from({ length: TARGETS }, (_, i) => make(i))
  const part = (address: string) => address.slice(5, 9 + Math.floor(Math.random() * 4))
  const variant = (name: string, targets: { path: string; key: string }[]): Variant => ({
    name,
    server: world.appPid,
    run: (seconds) =>
      world.load({
        ports: [Number(new URL(world.appUrl).port)],
        connections: CONNECTIONS,
        seconds,
        requests: { kind: 'get', targets },
      }),
  })
  const oneOf = (index: number) => receivers[index % receivers.length]!
  return [
    variant(
      anyPage,
      many(() => ({ key, path: list(`page=${page(ofLarge)}`) })),
    ),
    variant(
      partOfAddress,
      many((i) => ({ key, path: list(`receiver_address=${part(oneOf(i))}`) })),
    ),
    variant(
      wholeAddress,
      many((i) => ({ key, path: list(`receiver_address=${oneOf(i)}`) })),
    ),
    variant(
      others,
      many((i) => ({ key: small[i % small.length]!.key, path: list(`page=${page(each)}`) })),
    ),
  ]
}

/** Inserts completed orders in bulk: only reading them is measured. */
async function seedOrders({ admin }: World, accounts: string[], each: number): Promise<void> {
  await admin.query(
    `insert into orders.purchase_order (id, account_id, number, status, resource_amount,
       receiver_address, buyer_address, price_sun, source, trace, created_at, updated_at,
       completed_at, delegation_txids)
     select gen_random_uuid(), a.id, n, 'COMPLETED', 65000,
            'T' || (select string_agg(substr($3, 1 + ((h.bits >> (i * 6)) & 63)::int % 58, 1)
                      || substr($3, 1 + ((h.bits >> (i * 5 + 7)) & 63)::int % 58, 1)
                      || substr($3, 1 + ((h.bits >> (i * 4 + 11)) & 63)::int % 58, 1)
                      || case when i < 6 then substr($3, 1 + ((h.bits >> (i * 3 + 17)) & 63)::int % 58, 1) else '' end
                      || case when i < 6 then substr($3, 1 + ((h.bits >> (i + 23)) & 63)::int % 58, 1) else '' end, '')
                    from generate_series(0, 6) i),
            '', 1500000, 'api', 'bench', $4, $4, $4, array['a']
       from unnest($1::uuid[]) with ordinality a(id, place)
      cross join generate_series(1, $2::bigint) n
      cross join lateral (select hashint8extended(n / $5, a.place) as bits) h`,
    [accounts, each, ALPHABET, new Date(), ORDERS_PER_RECEIVER],
  )
}

async function foldAll({ admin }: World, accounts: string[]): Promise<void> {
  for (const account of accounts) {
    let folded = FOLD_ROWS
    while (folded === FOLD_ROWS) {
      const { rows } = await admin.query('select orders.fold_pairs($1, $2)::int as folded', [
        account,
        FOLD_ROWS,
      ])
      folded = rows[0].folded
    }
  }
}

async function sampleReceivers({ admin }: World, account: string): Promise<string[]> {
  const { rows } = await admin.query(
    'select receiver_address from orders.pair where account_id = $1 order by haystack limit $2',
    [account, TARGETS],
  )
  return rows.map((row) => row.receiver_address)
}
