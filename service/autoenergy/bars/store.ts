import { statement } from '../../db/index.ts'
import type { Taken } from './counted.ts'

/** The subscription that covers an address, also while its Energy is being reclaimed. */
export const findCover = statement<{ id: string; account: string; activation: bigint }>(
  'autoenergy.findCover',
  `
  select id, account_id as account, activation from autoenergy.subscription where address = $1 and live
`,
)

export const insertStray = statement(
  'autoenergy.insertStray',
  `
  insert into autoenergy.stray (id, account_id, address, subscription_id, activation, energy, at)
  values ($1, $2, $3, $4, $5, $6, $7)
`,
)

export const listStrays = statement<Taken>(
  'autoenergy.listStrays',
  `
  select energy, at from autoenergy.stray where account_id = $1 and address = $2 order by at, id
`,
)

/** The last activation fee of an account for an address that was not refunded, and the last lift. */
export const countedSince = statement<{ feeAt: Date | null; liftedAt: Date | null }>(
  'autoenergy.countedSince',
  `
  select (select max(c.at) from autoenergy.charge c
            join autoenergy.subscription s on s.id = c.subscription_id
           where s.account_id = $1 and s.address = $2 and c.kind = 'autoenergy_activate' and c.amount_sun > 0
             and not exists (select from autoenergy.charge r
                              where r.kind = c.kind and r.reference = c.reference and r.amount_sun < 0)) as "feeAt",
         (select max(lifted_at) from autoenergy.bar where account_id = $1 and address = $2) as "liftedAt"
`,
)

/** Others' use of all addresses of an account, without addresses whose bar was lifted since. */
export const sumOfAccount = statement<{ energy: bigint }>(
  'autoenergy.sumOfAccount',
  `
  select coalesce(sum(t.energy), 0)::bigint as energy from autoenergy.stray t
   where t.account_id = $1 and t.at > $2
     and not exists (select from autoenergy.bar b where b.account_id = t.account_id
                                                    and b.address = t.address and b.lifted_at >= t.at)
`,
)

export const sumOfRun = statement<{ energy: bigint }>(
  'autoenergy.sumOfRun',
  `
  select coalesce(sum(energy), 0)::bigint as energy from autoenergy.stray
   where subscription_id = $1 and activation = $2
`,
)

export type BarRow = {
  id: string
  account: string
  address: string
  energy: bigint
  beganAt: Date
  until: Date
  liftedAt: Date | null
}

const BAR = `b.id, b.account_id as account, b.address,
  (select coalesce(sum(t.energy), 0)::bigint from autoenergy.stray t
    where t.account_id = b.account_id and t.address = b.address) as energy,
  b.began_at as "beganAt", b.until, b.lifted_at as "liftedAt"`

/** Returns no row when the account is already barred from the address. */
export const insertBar = statement<{ id: string }>(
  'autoenergy.insertBar',
  `
  insert into autoenergy.bar (id, account_id, address, began_at, until)
  select $1, $2, $3, $4, $5
   where not exists (select from autoenergy.bar where account_id = $2 and address = $3 and until > $4 and lifted_at is null)
  returning id
`,
)

/** Active bars of an address; those of the given account first. */
export const findBars = statement<BarRow>(
  'autoenergy.findBars',
  `
  select ${BAR} from autoenergy.bar b
   where b.address = $1 and b.until > $3 and b.lifted_at is null
   order by b.account_id = $2 desc, b.until desc limit 1
`,
)

/** A bar of the account and address that began after the given time and was not lifted. */
export const barredSince = statement<{ until: Date }>(
  'autoenergy.barredSince',
  `
  select until from autoenergy.bar
   where account_id = $1 and address = $2 and began_at >= coalesce($3::timestamptz, '-infinity') and lifted_at is null limit 1
`,
)

export const listBars = statement<BarRow>(
  'autoenergy.listBars',
  `
  select ${BAR} from autoenergy.bar b order by b.began_at desc, b.id limit $1
`,
)

/** Returns no row when there is no such bar, or it has expired. */
export const liftBar = statement<BarRow>(
  'autoenergy.liftBar',
  `
  update autoenergy.bar b set lifted_at = $2
   where b.id = $1 and b.lifted_at is null and b.until > $2
  returning ${BAR}
`,
)
