import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { connectClient } from '../../service/db/index.ts'
import { giveToServer, prepare, type Server, serverOf, user } from './cluster.ts'
import { until } from './until.ts'

/**
 * A base backup of a running server, as pg_basebackup makes it; that program is not among our
 * binaries.
 */
export async function backUp(server: Server, folder: string): Promise<void> {
  prepare(folder)
  const connectionString = server.url('ergon_admin', 'postgres')
  const client = await connectClient({ connectionString })
  try {
    await client.query(`select pg_backup_start('ergon', true)`)
    await copyLiveFolder(join(server.folder, 'data'), join(folder, 'data'))
    const { rows } = await client.query(`select * from pg_backup_stop(false)`)
    giveToServer(join(folder, 'data/backup_label'), rows[0].labelfile)
    if (rows[0].spcmapfile) giveToServer(join(folder, 'data/tablespace_map'), rows[0].spcmapfile)
  } finally {
    await client.end()
  }
}

/**
 * A file may vanish during the copy: the WAL contains its removal, so a restore does not need it.
 */
async function copyLiveFolder(from: string, to: string) {
  const left = ['postmaster.pid', 'postmaster.opts']
  const keepsOnlyFolders =
    /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/./
  for (let tries = 0; ; tries++) {
    try {
      await cp(from, to, {
        recursive: true,
        preserveTimestamps: true,
        filter(path) {
          const inside = path.slice(from.length + 1)
          if (inside === 'pg_wal/archive_status' || inside === 'pg_wal/summaries') return true
          return !left.includes(inside) && !keepsOnlyFolders.test(inside)
        },
      })
      break
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT' || tries > 20) throw error
    }
  }
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, to])
  execFileSync('chmod', ['700', to])
}

/** Adds a standby; from its return on, every commit of the primary waits for it. */
export async function addStandby(primary: Server, folder: string, name: string): Promise<Server> {
  await backUp(primary, folder)
  const data = join(folder, 'data')
  giveToServer(join(data, 'standby.signal'), '')
  const conninfo = `host=${primary.socket} user=ergon_admin application_name=${name}`
  appendFileSync(join(data, 'postgresql.conf'), `\nprimary_conninfo = '${conninfo}'\n`)
  // Remove the inherited setting: once promoted, the copy must not wait for itself.
  appendFileSync(join(data, 'postgresql.auto.conf'), `synchronous_standby_names = ''\n`)
  const standby = serverOf(folder)
  await standby.start()
  await until(
    'the standby streams',
    async () => {
      const rows = await primary.sql(
        `select from pg_stat_replication where application_name = $1 and state = 'streaming'`,
        [name],
      )
      return rows.length === 1
    },
    60_000,
  )
  await primary.sql(`alter system set synchronous_standby_names = '${name}'`)
  await primary.sql(`select pg_reload_conf()`)
  await until('every commit waits for it', async () => {
    const rows = await primary.sql(`select from pg_stat_replication where sync_state = 'sync'`)
    return rows.length === 1
  })
  return standby
}
