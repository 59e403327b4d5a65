export { type Apart, type Aside, type Claim, createApart, readAside, retryAside } from './apart.ts'
export { advanceBusinessTime, readBusinessTime } from './businessTime.ts'
export { connectClient, createPool } from './connections.ts'
export { ensureDatabase } from './ensureDatabase.ts'
export { createHorizon, type Horizon, NEW_MS } from './horizon.ts'
export { createHousekeeping, type Retention } from './housekeeping.ts'
export { idAt } from './idAt.ts'
export { type Lease, takeLease } from './lease.ts'
export { assertMigrated, collectSchema, migrate, type Schema } from './migrate.ts'
export {
  type Db,
  openDb,
  openSchemaPool,
  type Queryable,
  type SchemaPool,
  type Tx,
} from './pool.ts'
export { embeddedUrl, type Postgres, startPostgres } from './postgres.ts'
export { chooseUser, commandAs } from './postgresUser.ts'
export { assertOwnSessions, readServerHealth, type ServerHealth } from './serverHealth.ts'
export { findPrimary, isTimeout, wasNeverSent, wasRefusedByServer } from './servers.ts'
export { allStatements, type Statement, statement } from './statement.ts'
export { AHEAD_MS } from './store.ts'
export { Undo, undoable } from './undo.ts'
export { UnfitServer } from './unfit.ts'
