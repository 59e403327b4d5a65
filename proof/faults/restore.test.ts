// Proves: db, ledger.
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createErgonServer,
  giveToServer,
  removeServers,
  type Server,
  serverOf,
  temporaryFolder,
} from '../testing/cluster.ts'
import type { TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { backUp } from '../testing/standby.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'
import { openSeller, openShop } from './seller.ts'

// As docs/operating/backup.md describes: a base backup while the service sells, every WAL segment
// archived, the server lost, and the books restored to a chosen moment.

const databaseOf = (server: Server): TestDatabase => ({ ...server, drop: async () => {} })

/** Seconds since now, for the figures that `npm run prove -- --only restore` prints. */
function stopwatch(): () => string {
  const fromMs = performance.now()
  return () => ((performance.now() - fromMs) / 1_000).toFixed(1)
}

async function archived(server: Server, archive: string): Promise<void> {
  const [row] = await server.sql<{ file: string }>(
    `select pg_walfile_name(pg_switch_wal()) as file`,
  )
  await until('the log is archived', () => existsSync(join(archive, row!.file)))
}

test('a restore to a moment: the books balance, a replayed key answers the same bytes', async () => {
  const folder = temporaryFolder('restore')
  const archive = join(folder, 'archive')
  giveToServer(archive)
  const archiving = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` }
  const server = await createErgonServer(join(folder, 'lost'), archiving)
  const restored = serverOf(join(folder, 'restored'))
  const devnet = await openDevnet()
  const acknowledged = new Map<string, string>()
  try {
    const seller = await openSeller(databaseOf(server), devnet)
    const buy = async (key: string) => {
      const answer = await seller.buy(key)
      expect(answer.status).toBe(200)
      return answer.text
    }
    await openShop(databaseOf(server), seller)
    acknowledged.set('before the backup', await buy('before-the-backup'))
    let isCopying = true
    const meanwhile = (async () => {
      for (let number = 0; isCopying; number++) {
        acknowledged.set(`meanwhile ${number}`, await buy(`meanwhile-${number}`))
      }
    })()
    const backedUp = stopwatch()
    await backUp(server, join(folder, 'restored'))
    const backupSeconds = backedUp()
    isCopying = false
    await meanwhile
    acknowledged.set('after the backup', await buy('after-the-backup'))
    const [{ moment }] = (await server.sql(`select clock_timestamp()::text as moment`)) as [
      { moment: string },
    ]
    await buy('too-late')
    await archived(server, archive)
    await seller.app.close()
    await server.kill()

    appendFileSync(
      join(restored.folder, 'data/postgresql.conf'),
      `
restore_command = 'cp ${archive}/%f %p'
recovery_target_time = '${moment}'
recovery_target_action = 'promote'
`,
    )
    giveToServer(join(restored.folder, 'data/recovery.signal'), '')
    const wasRestored = stopwatch()
    await restored.start()
    await until('it can be written to', async () => {
      const [row] = await restored.sql<{ ready: boolean }>(
        `select not pg_is_in_recovery() as ready`,
      )
      return row!.ready
    })
    const restoreSeconds = wasRestored()
    expect(await brokenInvariants(databaseOf(restored))).toEqual([])
    const again = await openSeller(databaseOf(restored), devnet, seller)
    for (const [key, text] of acknowledged) {
      const replay = await again.buy(key.replaceAll(' ', '-'))
      expect(replay.text).toBe(text)
      expect(replay.headers.get('idempotency-replayed')).toBe('true')
    }
    // Purchases after that moment are lost, and can be bought again under their keys.
    await until('it sells', async () => (await again.buy('too-late')).status === 200)
    const [orders] = await restored.sql(`select count(*)::int as count from orders.purchase_order`)
    expect(orders).toEqual({ count: acknowledged.size + 2 })
    expect(await brokenInvariants(databaseOf(restored))).toEqual([])
    const [size] = await restored.sql(`select pg_size_pretty(pg_database_size('ergon')) as size`)
    console.log(
      `restore: ${acknowledged.size} answers, ${size!.size}; backup in ${backupSeconds} s while selling, restored in ${restoreSeconds} s; each answered again with the same bytes`,
    )
    await again.app.close()
  } finally {
    await devnet.close()
    await removeServers([server, restored], folder)
  }
})
