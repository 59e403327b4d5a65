import { ORDERS_A_ROUND, UNITS_A_ROUND, VERSIONS_A_ROUND } from './sizes.ts'

// What a service of some years has in its tables, as statements over age.line: one row for each deposit, order and
// sweep of each account, in the order of time. Amounts follow from the place of a row, so that no statement has to
// know what another wrote, and yet all of them fit.

const ENERGY = 65_000
const STAKE = 6_500_000_000
/** From a purchase to its end, from a delegation to its reclaim, and a transaction's life. */
const DELIVERED_MS = 5_000
const HOUR_MS = 3_600_000
const LIFE_MS = 60_000
const OWNER = `41${'0a'.repeat(20)}`

/** Tools, and tables that are dropped when all is written. */
export const PREPARE = `
  create schema age;
  create function age.id(ms bigint, n bigint, kind int) returns uuid language sql immutable as
    $$ select (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid $$;
  create function age.at(ms bigint) returns timestamptz language sql immutable as
    $$ select to_timestamp(ms::float8 / 1000) $$;
  create function age.txid(n bigint, kind text) returns text language sql immutable as
    $$ select md5(kind || n) || md5(n || kind) $$;
  create function age.receiver(n bigint) returns text language sql immutable as
    $$ select 'T' || left(translate(encode(sha256(n::text::bytea), 'base64'), '+/=0OIl', 'abcdefg'), 33) $$;
  create unlogged table age.step (step int, kind text, nth int, version int, units int, failed boolean);
  create unlogged table age.account (n int, address text, hex text, id uuid, unit bigint, reps int, held bigint)`

/** $1 numbers, $2 addresses, $3 the same as blocks have them, $4 held, $5 rounds beyond one each, $6 first moment. */
export const ACCOUNTS = `
  insert into age.account
  select g.n, g.address, g.hex, age.id($6::bigint - 86400000 + g.n, g.n, 0), u.unit, case when g.n = 1 then $5::int + 1 else 1 end,
         case when g.n not between 2 and $4::int + 1 then 0 when g.n % 4 = 0 then 1000000 else 4 * u.unit end
    from unnest($1::int[], $2::text[], $3::text[]) as g(n, address, hex),
         lateral (select 3000000 + (g.n % 100) * 1000 as unit) u`

/** $1 the first moment, $2 how long all of it took. The first account has a tenth of everything. */
export const ENTRIES = `
  create unlogged table age.entry as
  select row_number() over (order by t.ms, t.account, t.step) as n, t.*
    from (select a.n as account, r.rep, s.step,
                 $1::bigint + floor($2::float8 * (r.rep + (s.step + (a.n * 618033989::bigint % 1000000007)::float8 / 1000000007) / 36) / a.reps)::bigint as ms
            from age.account a cross join lateral generate_series(0, a.reps - 1) r(rep) cross join age.step s) t`

/** Blocks have numbers below those of the chain that goes on from here. */
const block = (ms: string) => `((${ms} - age.last()) / 3000)`

/** The first and the last moment, and what happened between them. */
export const lines = (firstMs: number, lastMs: number) => `
  create function age.opened() returns bigint language sql immutable as $$ select ${firstMs - 86_400_000}::bigint $$;
  create function age.last() returns bigint language sql immutable as $$ select ${lastMs}::bigint $$;
  create view age.line as
  select e.n, e.ms, e.ms + ${DELIVERED_MS} as end_ms, e.rep, s.kind, s.nth, s.failed, a.n as place, a.id as account, a.unit, a.address,
         e.rep * ${VERSIONS_A_ROUND}::bigint + s.version as version,
         (e.rep * ${UNITS_A_ROUND}::bigint + s.units) * a.unit as balance,
         e.rep * ${ORDERS_A_ROUND}::bigint + s.nth as number,
         a.n * 1000000::bigint + e.rep * 2 + (s.nth - 1) / 9 as receiver,
         case when s.nth = 6 and e.rep = a.reps - 1 then 4 * a.unit - a.held else 4 * a.unit end as swept
    from age.entry e join age.account a on a.n = e.account join age.step s on s.step = e.step`

const ORDER = `age.id(l.ms, l.n, 1)`
const MOVEMENT = `age.id(l.ms, l.n, 2)`
const ENDING = `age.id(l.end_ms, l.n, 3)`
const DELEGATION = `age.txid(l.n, 'delegation')`

/** A table that is filled, and with what. Those of one lane are filled one after the other. */
export type Filled = { table: string; insert: string }

const fill = (table: string, insert: string): Filled => ({ table, insert })

const movements = fill(
  'ledger.movement',
  `(kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
  select m.* from age.line l cross join lateral (
    select 'deposit', age.txid(l.n, 'deposit'), ${MOVEMENT}, l.account, l.version, l.balance, 'asset:deposit_addresses', 'client',
           2 * l.unit, 'TRX deposit', age.at(l.ms) where l.kind = 'deposit'
    union all
    select 'purchase', ${ORDER}::text, ${MOVEMENT}, l.account, l.version, l.balance, 'client', 'escrow:orders',
           l.unit, '${ENERGY} Energy for ' || age.receiver(l.receiver), age.at(l.ms) where l.kind = 'order'
    union all
    select 'deliver', ${ORDER}::text, ${ENDING}, null, null, null, 'escrow:orders', 'income:energy',
           l.unit, 'Order ' || ${ORDER} || ' delivered', age.at(l.end_ms) where l.kind = 'order' and not l.failed
    union all
    select 'refund', ${ORDER}::text, ${ENDING}, l.account, l.version + 1, l.balance + l.unit, 'escrow:orders', 'client',
           l.unit, 'Refund of order ' || ${ORDER}, age.at(l.end_ms) where l.kind = 'order' and l.failed
    union all
    select 'sweep', age.txid(l.n, 'sweep'), ${MOVEMENT}, null, null, null, 'asset:hot', 'asset:deposit_addresses',
           l.swept, 'Swept to the hot wallet', age.at(l.ms) where l.kind = 'sweep' and l.swept > 0) m`,
)

const orders = [
  fill(
    'orders.purchase_order',
    `(id, account_id, number, status, resource_amount, receiver_address, buyer_address, price_sun, source, trace, created_at,
      updated_at, completed_at, error_message, delegation_txids)
    select ${ORDER}, l.account, l.number, case when l.failed then 'FAILED' else 'COMPLETED' end, ${ENERGY}, age.receiver(l.receiver),
           '', l.unit, 'api', 'age', age.at(l.ms), age.at(l.end_ms), case when not l.failed then age.at(l.end_ms) end,
           case when l.failed then 'The Energy was not delivered in time. The price was refunded.' end,
           case when l.failed then '{}' else array[${DELEGATION}] end
      from age.line l where l.kind = 'order'`,
  ),
  fill(
    'orders.filed_order',
    `(account_id, pair, number, place)
    select l.account, l.number - (l.nth - 1) % 9, l.number, (l.nth - 1) % 9 + 1 from age.line l where l.kind = 'order'`,
  ),
  fill(
    'orders.pair',
    `(account_id, first_number, receiver_address, buyer_address, orders)
    select l.account, l.number, age.receiver(l.receiver), '', 9 from age.line l where l.kind = 'order' and l.nth in (1, 10)`,
  ),
  fill(
    'orders.folded',
    `(account_id, number) select a.id, a.reps * ${ORDERS_A_ROUND} from age.account a`,
  ),
  fill(
    'orders.idempotency_key',
    `(account_id, key, order_id, response, created_at)
    select l.account, 'age-' || l.n, ${ORDER}, '{"order_id":"' || ${ORDER} || '","status":"PENDING"}', age.at(l.ms)
      from age.line l where l.kind = 'order' and l.ms > age.last() - 86400000`,
  ),
]

const delivery = [
  fill(
    'delivery.request',
    `(id, receiver_address, energy, duration_seconds, deadline_at, state, reason, trace, created_at, choice)
    select ${ORDER}, age.receiver(l.receiver), ${ENERGY}, 3600, age.at(l.ms + 120000), case when l.failed then 'failed' else 'delivered' end,
           case when l.failed then 'The Energy was not delivered in time.' end, 'age', age.at(l.ms),
           '[{"offers": [{"provider": "own_stake", "unit_price_sun": 15, "taken": ${ENERGY}}]}]'
      from age.line l where l.kind = 'order'`,
  ),
  fill(
    'delivery.part',
    `(id, request_id, provider, energy, state, reason, unit_price_sun, cost_sun)
    select age.id(l.ms, l.n, 4), ${ORDER}, 'own_stake', ${ENERGY}, case when l.failed then 'failed' else 'delivered' end,
           case when l.failed then 'late' end, 15, 0
      from age.line l where l.kind = 'order'`,
  ),
  fill(
    'delivery.attempt',
    `(id, part_id, provider, state, txid, signing_request, owner_address, stake_sun, expires_at, created_at, energy)
    select age.id(l.ms, l.n, 5), age.id(l.ms, l.n, 4), 'own_stake', 'delivered', ${DELEGATION}, age.id(l.ms, l.n, 6), '${OWNER}',
           ${STAKE}, age.at(l.ms + ${LIFE_MS}), age.at(l.ms), ${ENERGY}
      from age.line l where l.kind = 'order' and not l.failed`,
  ),
  fill(
    'delivery.delegation',
    `(txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at, reclaim_txid,
      reclaim_expires_at, reclaim_block, reclaimed_at, provider)
    select ${DELEGATION}, age.id(l.ms, l.n, 5), '${OWNER}', age.receiver(l.receiver), ${STAKE}, ${ENERGY}, ${block('l.ms')},
           age.at(l.ms), age.at(l.ms + ${HOUR_MS}), age.txid(l.n, 'reclaim'), age.at(l.ms + ${HOUR_MS + LIFE_MS}),
           ${block(`l.ms + ${HOUR_MS}`)}, age.at(l.ms + ${HOUR_MS}), 'own_stake'
      from age.line l where l.kind = 'order' and not l.failed`,
  ),
  fill(
    'delivery.network_fee',
    `(txid, block_number, fee_sun)
    select f.* from age.line l cross join lateral (
      values (${DELEGATION}, ${block('l.ms')}, 0::bigint), (age.txid(l.n, 'reclaim'), ${block(`l.ms + ${HOUR_MS}`)}, 0)) f
     where l.kind = 'order' and not l.failed`,
  ),
]

/** Every transaction of ours: a delegation and its reclaim for an order, and a sweep. Of about as many bytes as real ones. */
const SENT = `
  age.line l cross join lateral (
    select ${DELEGATION} as txid, l.ms as at, 6 as part, 'delegate' as purpose where l.kind = 'order' and not l.failed
    union all
    select age.txid(l.n, 'reclaim'), l.ms + ${HOUR_MS}, 7, 'reclaim' where l.kind = 'order' and not l.failed
    union all
    select age.txid(l.n, 'sweep'), l.ms, 8, 'sweep' where l.kind = 'sweep' and l.swept > 0) t`

const signing = [
  fill(
    'signing.request',
    `(id, purpose, owner_address, raw_bytes, txid, expires_at, created_at, handed_over)
    select age.id(t.at, l.n, t.part), t.purpose, '${OWNER}', decode(repeat(left(t.txid, 32), 8), 'hex'), t.txid, age.at(t.at + ${LIFE_MS}),
           age.at(t.at), true
      from ${SENT}`,
  ),
  fill(
    'signing.answer',
    `(request_id, state, signature, answered_at)
    select age.id(t.at, l.n, t.part), 'signed', t.txid || t.txid || '00', age.at(t.at) from ${SENT}`,
  ),
  fill(
    'chain.broadcast',
    `(txid, signed_bytes, expires_at, state, block_number, last_sent_at, sends)
    select t.txid, decode(repeat(left(t.txid, 32), 12), 'hex'), age.at(t.at + ${LIFE_MS}), 'included', ${block('t.at')}, age.at(t.at), 1
      from ${SENT}`,
  ),
]

const deposits = [
  fill(
    'deposits.deposit',
    `(id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, posted, credited_at, verified_at,
      created_at)
    select age.id(l.ms, l.n, 9), l.account, age.txid(l.n, 'deposit'), 0, l.address, 2 * l.unit, 'confirmed', ${block('l.ms')},
           age.at(l.ms + ${LIFE_MS}), true, age.at(l.ms), age.at(l.ms + ${LIFE_MS}), age.at(l.ms)
      from age.line l where l.kind = 'deposit'`,
  ),
  fill(
    'deposits.sweep',
    `(id, address, amount_sun, txid, signing_request, state, fee_sun, created_at, ended_at)
    select age.id(l.ms, l.n, 10), l.address, l.swept, age.txid(l.n, 'sweep'), age.id(l.ms, l.n, 8), 'booked', 0, age.at(l.ms),
           age.at(l.ms + ${LIFE_MS})
      from age.line l where l.kind = 'sweep' and l.swept > 0`,
  ),
  fill('deposits.holding', `(address, amount_sun) select a.address, a.held from age.account a`),
]

/** Keys can be told from the number of their account: apiKeyOf in generate.ts. */
const KEY = `'erg_' || rtrim(translate(encode(sha256(('age ' || a.n)::bytea), 'base64'), '+/', '-_'), '=')`
const OPENED = `age.at(age.opened())`

const identity = [
  fill(
    'identity.account',
    `(id, name, created_at) select a.id, 'Client ' || a.n, ${OPENED} from age.account a`,
  ),
  fill(
    'identity.app_user',
    `(id, account_id, created_at) select age.id(age.opened(), a.n, 11), a.id, ${OPENED} from age.account a`,
  ),
  fill(
    'identity.api_key',
    `(id, account_id, user_id, key_hash, last_four, created_at)
    select age.id(age.opened(), a.n, 12), a.id, age.id(age.opened(), a.n, 11), encode(sha256((${KEY})::bytea), 'hex'),
           right(${KEY}, 4), ${OPENED}
      from age.account a`,
  ),
  fill(
    'identity.sign_up',
    `(login, account_id, created_at) select 'client' || a.n || '@example.com', a.id, ${OPENED} from age.account a`,
  ),
  fill(
    'ledger.account',
    `(id, balance_sun, version)
    select a.id, a.reps * ${UNITS_A_ROUND} * a.unit, a.reps * ${VERSIONS_A_ROUND} from age.account a`,
  ),
  fill(
    'addresses.address',
    `(position, address, purpose, account_id, created_at)
    select a.n - 1, a.address, 'deposit', a.id, ${OPENED} from age.account a`,
  ),
  fill('chain.watched', `(address, purpose) select a.hex, 'deposit' from age.account a`),
]

/** Of all that is kept: one event for each movement of a client, one for each final order, and others. */
export const events = (keptMs: number, others: number): Filled =>
  fill(
    'events.event',
    `(id, account_id, type, subject, created_at, trace, data)
    select age.id(e.ms, l.n, e.part), l.account, e.type, e.subject, age.at(e.ms), 'age', e.data
      from age.line l cross join lateral (
        select 13 as part, 'balance.changed' as type, ${MOVEMENT}::text as subject, l.ms,
               json_build_object('entry_id', ${MOVEMENT}, 'entry_type', l.kind, 'amount_sun', l.unit, 'balance_sun', l.balance,
                                 'reference_id', ${ORDER}) as data where l.kind <> 'sweep'
        union all
        select 14, 'balance.changed', ${ENDING}::text, l.end_ms,
               json_build_object('entry_id', ${ENDING}, 'entry_type', 'refund', 'amount_sun', l.unit, 'balance_sun', l.balance + l.unit,
                                 'reference_id', ${ORDER}) where l.failed
        union all
        select 15, 'order.status_changed', ${ORDER}::text, l.end_ms,
               json_build_object('order_id', ${ORDER}, 'status', 'COMPLETED', 'resource_amount', '${ENERGY}', 'receiver_address',
                                 age.receiver(l.receiver), 'total_price_sun', l.unit, 'error_message', null) where l.kind = 'order') e
     where l.ms >= ${keptMs - DELIVERED_MS} and e.ms >= ${keptMs}
    union all
    select age.id(t.ms, g.n, 16), a.id, 'autoenergy.delegated', g.n::text, age.at(t.ms), 'age',
           json_build_object('subscription_id', a.id, 'address', a.address, 'energy_class', '65k', 'billed_sun', a.unit,
                             'used_tx_id', age.txid(g.n, 'use'), 'tx_used_total', g.n, 'quota_max_tx', null)
      from generate_series(1, ${others}) g(n)
     cross join lateral (select ${keptMs}::bigint + ((age.last() - ${keptMs})::float8 * g.n / ${others + 1})::bigint as ms) t
      join age.account a on a.n = 1 + g.n % (select count(*) from age.account)`,
  )

/** Two cores, two lanes of about the same work. */
export const LANES: readonly (readonly Filled[])[] = [
  [...identity, movements, ...deposits, ...orders],
  [...delivery, ...signing],
]
