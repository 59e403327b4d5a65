import { toHex } from '@ergon/tron'
import type { BenchAccount } from './seed.ts'
import type { World } from './world.ts'

const UNIT_131K = 4_400_000

/**
 * Active subscriptions, spread over the accounts. Callers have no Energy yet: the service notices
 * and delegates it. The others, which do nothing, have some in our tables.
 */
export async function seedSubscriptions(
  world: World,
  callers: readonly string[],
  others: readonly string[],
): Promise<void> {
  const { admin } = world
  const addresses = [...callers, ...others]
  const accounts = world.accounts.map(({ id }) => id)
  await admin.query(
    `insert into autoenergy.subscription
       (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun,
        unit_price_131k_sun, idle_hours, reserved_sun, requested_at, activated_at, paid_until, due_at, created_at)
     select gen_random_uuid(), ($2::uuid[])[1 + n % cardinality($2::uuid[])], address, 'active', 'standard', 10000000,
            1000000, 2200000, ${UNIT_131K}, 24, ${UNIT_131K}, t - interval '2 minutes', t - interval '1 minute', t + interval '1 day',
            t + interval '1 day', t
       from unnest($1::text[]) with ordinality as a(address, n), clock_timestamp() as t`,
    [addresses, accounts],
  )
  await admin.query(
    `update ledger.account a set reserved_sun = s.reserved
       from (select account_id, sum(reserved_sun) as reserved from autoenergy.subscription group by account_id) s
      where s.account_id = a.id`,
  )
  await admin.query(
    `insert into delivery.standing (address, wanted, look) select address, 131000, true from unnest($1::text[]) as address`,
    [callers],
  )
  await admin.query(
    `insert into delivery.standing (address, wanted, available, measured_at, look)
     select address, 131000, 132000, clock_timestamp(), false from unnest($1::text[]) as address`,
    [others],
  )
  await admin.query(
    `insert into chain.caller (address) select address from unnest($1::text[]) as address`,
    [addresses.map(toHex)],
  )
}

/** Active configurations on wallets of their owners, spread over the accounts given. */
export async function seedConfigs(
  world: World,
  addresses: readonly string[],
  accounts: readonly BenchAccount[],
): Promise<void> {
  const { admin } = world
  await admin.query(
    `insert into agent.config
       (id, account_id, public_id, mode, address, proven, title, energy_per_unit, base_payment_sun, max_units, status,
        created_at, updated_at)
     select gen_random_uuid(), ($2::uuid[])[1 + n % cardinality($2::uuid[])],
            translate(left(md5(address), 22), '0', 'z'), 'own', address, true, 'Energy', 65000, 3000000, 3, 'active',
            t, t
       from unnest($1::text[]) with ordinality as a(address, n), (select clock_timestamp() - interval '1 hour') as m(t)`,
    [addresses, accounts.map(({ id }) => id)],
  )
  await admin.query(
    `insert into chain.watched (address, purpose) select address, 'agent' from unnest($1::text[]) as address`,
    [addresses.map(toHex)],
  )
}
