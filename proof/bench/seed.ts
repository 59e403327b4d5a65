import type { App } from '../../service/app/app.ts'
import { sun } from '../../service/kernel/index.ts'

export type BenchAccount = { id: string; key: string }

const BALANCE = sun(1_000_000_000_000_000n)

/** Creates accounts through identity, and credits them through the ledger. */
export async function seedAccounts(
  { rooms, db }: Pick<App, 'rooms' | 'db'>,
  count: number,
): Promise<BenchAccount[]> {
  const made: BenchAccount[] = []
  for (let n = 1; n <= count; n++) {
    const { account, apiKey } = await rooms.accounts.create(`bench ${n}`)
    made.push({ id: account, key: apiKey })
  }
  await db.transaction((tx) =>
    rooms.ledger.post(
      tx,
      made.map(({ id }) => ({
        client: id,
        kind: 'adjustment',
        reference: `bench ${id}`,
        amount: BALANCE,
        counter: 'equity:operator',
        description: 'Money to measure with',
        trace: 'bench',
      })),
    ),
  )
  return made
}

/** No scanner runs here, so the last block read and the node's head are set to tomorrow. */
export const READ = `
  insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
  values (1, '', clock_timestamp() + interval '1 day', 1, '', clock_timestamp());
  insert into chain.head (number, block_time, first_seen_at, seen_at)
  select number, block_time, block_time, block_time from chain.cursor`

/** No process polls providers here, so this offer stays fresh and does not run out. */
export const OFFER = `
  insert into providers.offer (provider, unit_price_sun, capacity_energy, asked_at, seen_at)
  values ('own_stake', 15, 1000000000000000, 'infinity', clock_timestamp() + interval '1 day')`
