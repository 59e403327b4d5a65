import type { Devnet } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import { type Answer, openTestApp, type TestApp } from '../testing/app.ts'
import type { TestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'

/** An API process that sells to one account with ample balance, on a database that may die. */
export type Seller = {
  app: TestApp
  apiKey: string
  buy(idempotencyKey: string): Promise<Answer>
}

export const purchaseOf = ({ chain }: Devnet) => ({
  receiver_address: toBase58(chain.network.funded[4]!.address),
  resource_amount: 32_000,
})

export async function openSeller(
  database: TestDatabase,
  devnet: Devnet,
  known?: { apiKey: string },
): Promise<Seller> {
  const app = await openTestApp({
    database,
    devnet,
    role: 'api',
    scans: true,
    requestsPerMinute: 1_000_000,
  })
  const apiKey = known?.apiKey ?? (await richAccount(app.rooms.accounts.create, database))
  const body = purchaseOf(devnet)
  const buy = (idempotencyKey: string) =>
    app.call('POST', '/v1/buy', {
      key: apiKey,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    })
  return { app, apiKey, buy }
}

/** Writes the offers itself: no worker runs here. */
export async function openShop(database: TestDatabase, { app, buy }: Seller): Promise<void> {
  await database.sql(`insert into providers.offer values ('own_stake', 15, 500000000, 'infinity')`)
  await app.rooms.providers.readLoop.stop()
  app.rooms.providers.readLoop.start()
  await until('an offer', async () => (await buy('first')).status === 200)
}

async function richAccount(
  create: (name: string) => Promise<{ account: string; apiKey: string }>,
  database: TestDatabase,
): Promise<string> {
  const { account, apiKey } = await create('rich')
  await database.sql(
    `select ledger.post_many(array[gen_random_uuid()], array[$1::uuid], array['adjustment'], array['seed'],
       array[1000000000000::bigint], array['equity:operator'], array['seed'], array[now()], array['test'],
       array[gen_random_uuid()], array[gen_random_uuid()])`,
    [account],
  )
  return apiKey
}
