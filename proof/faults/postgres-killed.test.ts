// Proves: db, orders.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { ensureDatabase, migrate, type Postgres, startPostgres } from '../../service/db/index.ts'
import type { TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'
import { openSeller, openShop } from './seller.ts'

// PostgreSQL is killed under load, twice: every acknowledged purchase exists, and a retry with the
// same key returns the same bytes. The server has fsync on, as in production.

const CLIENTS = 8
const KILLS = 2
const ANSWERS_PER_KILL = 150

test(
  'kill -9 of PostgreSQL under load loses nothing acknowledged and doubles nothing',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ergon-durable-'))
    let postgres = await startPostgres({ folder })
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    const database = databaseOf(() => postgres)
    const devnet = await openDevnet()
    const seller = await openSeller(database, devnet)
    const { app, buy } = seller
    try {
      await openShop(database, seller)

      const acknowledged = new Map<string, string>()
      let killing = true
      const client = async (name: number) => {
        for (let number = 0; killing; number++) {
          const idempotencyKey = `${name}-${number}`
          await until(
            `an answer for ${idempotencyKey}`,
            async () => {
              const answer = await buy(idempotencyKey).catch(() => undefined)
              if (answer?.status !== 200) return undefined
              acknowledged.set(idempotencyKey, answer.text)
              return true
            },
            60_000,
          )
        }
      }
      const clients = Array.from({ length: CLIENTS }, (_, name) => client(name))
      for (let kill = 1; kill <= KILLS; kill++) {
        await until('load', () => acknowledged.size >= kill * ANSWERS_PER_KILL, 60_000)
        process.kill(postgres.pid, 'SIGKILL')
        postgres = await startPostgres({ folder })
      }
      await until(
        'load after the last kill',
        () => acknowledged.size >= (KILLS + 1) * ANSWERS_PER_KILL,
        60_000,
      )
      killing = false
      await Promise.all(clients)

      for (const [idempotencyKey, text] of acknowledged) {
        const replay = await buy(idempotencyKey)
        expect(replay.text).toBe(text)
        expect(replay.headers.get('idempotency-replayed')).toBe('true')
      }
      const [{ orders }] = (await database.sql(
        `select count(*)::int as orders from orders.purchase_order`,
      )) as [{ orders: number }]
      expect(orders).toBe(acknowledged.size + 1)
      expect(await brokenInvariants(database)).toEqual([])
    } finally {
      await app.close()
      await devnet.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  stretched(240_000),
)

/** Like the run's test databases, on a server that dies: each query opens its own connection. */
function databaseOf(server: () => Postgres): TestDatabase {
  return {
    url: (role) => server().url(role),
    async sql(text, values) {
      const client = new pg.Client({ connectionString: server().url('ergon_admin') })
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
    drop: async () => {},
  }
}
