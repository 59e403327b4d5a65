import type { Devnet } from '@ergon/devnet'
import { openTestApp, type TestApp } from './app.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testRuntime } from './runtime.ts'

/** Rows written by hand, an auditor for them, and elapsed time that the test moves. */
export type Books = {
  app: TestApp
  database: TestDatabase
  sql: TestDatabase['sql']
  /** Moves elapsed time by this much, and business time not at all. */
  elapse(minutes: number): void
  /** One round of the auditor over new rows. */
  run(): Promise<void>
  /** The full pass over the whole history. */
  pass(): Promise<void>
  /** The findings so far. */
  found(): Promise<string[]>
  close(): Promise<void>
}

/** Today: events of earlier days are not kept. */
const TIME = new Date()
export const at = `'${TIME.toISOString()}'::timestamptz`

const HEAD = headOf(TIME.getTime())
/** A new id of that time. */
export const id = `overlay(gen_random_uuid()::text placing '${HEAD}' from 1 for 13)::uuid`
/** The id of that time with this number; smaller than all new ids. */
export const numbered = (number: number) => `${HEAD}-0000-8000-${String(number).padStart(12, '0')}`
export const ACCOUNT = numbered(10)
export const ORDER = numbered(11)

function headOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** An account with a deposit of 100 and an open order of 30. */
const sound = `
  insert into identity.account (id, name, created_at) values ('${ACCOUNT}', 'a', ${at});
  insert into ledger.account (id, balance_sun, version) values ('${ACCOUNT}', 70, 2);
  insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at) values
    ('deposit', 'tx', ${id}, '${ACCOUNT}', 1, 100, 'asset:deposit_addresses', 'client', 100, '', ${at}),
    ('purchase', '${ORDER}', ${id}, '${ACCOUNT}', 2, 70, 'client', 'escrow:orders', 30, '', ${at});
  insert into deposits.deposit (id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, posted, credited_at, created_at)
    values (${id}, '${ACCOUNT}', 'tx', 0, 'T', 100, 'confirmed', 1, ${at}, true, ${at}, ${at});
  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address, price_sun, source, trace, created_at, updated_at)
    values ('${ORDER}', '${ACCOUNT}', 1, 'PROCESSING', 65000, 'T', '', 30, 'api', '', ${at}, ${at});
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
    select ${id}, '${ACCOUNT}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m;`

/** Without loops, which would change the rows written by hand. */
export async function openBooks(devnet: Devnet): Promise<Books> {
  const database = await createTestDatabase()
  const runtime = testRuntime()
  const app = await openTestApp({
    database,
    devnet,
    role: 'api',
    databaseUrls: [database.url('ergon_app')],
    runtime,
  })
  await database.sql(sound)
  const { audit } = app.rooms
  return {
    app,
    database,
    sql: database.sql,
    elapse: (minutes) => runtime.pass(minutes * 60_000),
    run: () => audit.loop.runOnce().then(() => {}),
    async pass() {
      const seals = async () =>
        (
          await database.sql<{ passes: string }>(
            `select passes from audit.progress where name = 'seals'`,
          )
        )[0]?.passes ?? 0
      const [checked, sealed] = [(await audit.pass()).passes + 2n, Number(await seals()) + 2]
      while ((await audit.pass()).passes < checked || Number(await seals()) < sealed) {
        await audit.passLoop.runOnce()
      }
    },
    found: async () =>
      (await database.sql<{ name: string }>(`select invariant as name from audit.finding`)).map(
        ({ name }) => name,
      ),
    async close() {
      await app.close()
      await database.drop()
    },
  }
}

/** More movements of the account, in pairs of a credit and a debit, with their events. */
export function moreMovements(count: number): string {
  return `
    insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
      select 'adjustment', 'more' || n, ${id}, '${ACCOUNT}', 2 + n, 70 + n % 2,
             case when n % 2 = 1 then 'equity:operator' else 'client' end,
             case when n % 2 = 1 then 'client' else 'equity:operator' end, 1, '', ${at}
        from generate_series(1, ${count}) as n;
    update ledger.account set version = ${2 + count}, balance_sun = ${70 + (count % 2)};
    insert into events.event (id, account_id, type, subject, created_at, trace, data)
      select ${id}, '${ACCOUNT}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m where m.version > 2`
}
