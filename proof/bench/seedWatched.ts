import pg from 'pg'

export const WATCHED = 1_000_000

/** Deposit addresses without accounts, as many as a service of some years would watch. */
export async function seedWatched(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(
      `insert into chain.watched (address, purpose)
       select '41' || md5(i::text) || left(md5('more ' || i), 8), 'deposit' from generate_series(1, $1::int) i`,
      [WATCHED],
    )
  } finally {
    await client.end()
  }
}
