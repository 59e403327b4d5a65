import { statement } from './statement.ts'

export type ArchiverRow = {
  isOn: boolean
  failures: bigint
  lastArchivedAt: Date | null
  lastFailedAt: Date | null
  lastFailedFile: string | null
}

export const readArchiver = statement<ArchiverRow>(
  'db.readArchiver',
  `
  select current_setting('archive_mode') <> 'off' as "isOn", failed_count as failures,
         last_archived_time as "lastArchivedAt", last_failed_time as "lastFailedAt",
         last_failed_wal as "lastFailedFile"
    from pg_catalog.pg_stat_archiver
`,
)

/** Null fields: our administrator may not see them. */
export type StandbyRow = {
  name: string
  state: string | null
  /** Commits wait for it. */
  isAwaited: boolean | null
  lagBytes: bigint | null
  lagSeconds: number | null
}

export const readStandbys = statement<StandbyRow>(
  'db.readStandbys',
  `
  select coalesce(name, '') as name, state, is_awaited as "isAwaited", lag_bytes as "lagBytes",
         lag_seconds as "lagSeconds"
    from extensions.standbys()
   order by name
`,
)

/** A commit that waits for a standby, or a transaction whose client does nothing. */
export type HangingRow = {
  kind: 'commit' | 'idle'
  role: string
  application: string
  seconds: number
}

export const readHanging = statement<HangingRow>(
  'db.readHanging',
  `
  select kind, role, application, seconds from extensions.hanging_sessions() order by seconds desc
`,
)

/** Null where our administrator may not see it. */
export const readServerFolder = statement<{ folder: string | null }>(
  'db.readServerFolder',
  `
  select extensions.server_folder() as folder
`,
)

export const readBackend = statement<{ pid: number }>(
  'db.readBackend',
  `
  select pg_backend_pid() as pid
`,
)
