import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { CannotStart } from '../kernel/index.ts'
import { connectClient } from './connections.ts'

/**
 * Each room keeps its schema beside its code: `schema/<timestamp>-<what>/up.sql` are applied once, in
 * order of their timestamps over all rooms; `schema/*.sql` hold functions, all applied again when one file changes.
 */
export type SchemaFile = { room: string; name: string; sql: string; hash: string }
export type Schema = { migrations: SchemaFile[]; functions: SchemaFile[] }

const SERVICE = join(import.meta.dirname, '..')
const MIGRATION = /^\d{8}T\d{4}-[a-z0-9-]+$/
const LOCK = 7_305_221_107n

export function collectSchema(service = SERVICE): Schema {
  const migrations: SchemaFile[] = []
  const functions: SchemaFile[] = []
  for (const room of readdirSync(service).sort()) {
    const folder = join(service, room, 'schema')
    if (!existsSync(folder)) continue
    for (const entry of readdirSync(folder).sort()) {
      if (MIGRATION.test(entry)) migrations.push(read(room, entry, join(folder, entry, 'up.sql')))
      else if (entry.endsWith('.sql')) functions.push(read(room, entry, join(folder, entry)))
    }
  }
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { migrations, functions }
}

function read(room: string, name: string, path: string): SchemaFile {
  const sql = readFileSync(path, 'utf8')
  return { room, name, sql, hash: createHash('sha256').update(sql).digest('hex') }
}

/**
 * Applies the schema. Of several processes the first does it; the others wait for the lock. Functions of newer
 * code stay: a process that migrates at its start also keeps those of a version that followed its own.
 */
export async function migrate(
  adminUrl: string,
  schema: Schema = collectSchema(),
  { atStart = false } = {},
): Promise<number> {
  const config = { connectionString: adminUrl, application_name: 'ergon-migrate' }
  const client = await connectClient(config)
  try {
    await client.query(`select pg_advisory_lock(${LOCK})`)
    await client.query(readFileSync(join(import.meta.dirname, 'roles.sql'), 'utf8'))
    await client.query('set role ergon_owner')
    await client.query(`set search_path = ''; set check_function_bodies = off`)
    await prepareRecord(client)
    const migrated = await applyMigrations(client, schema)
    const age = await ageOf(client, schema)
    if (age === 'older' || (atStart && age === 'followed')) return migrated
    const applied = migrated + (await applyFunctions(client, schema))
    await applyFunctions(client, { ...schema, functions: [apiRole(schema)] })
    await client.query(
      `insert into db.installed (hash) values ($1) on conflict (hash) do update set installed_at = clock_timestamp()`,
      [apiRole(schema).hash],
    )
    return applied
  } finally {
    await client.end()
  }
}

/** The grants of HTTP processes depend on the whole schema, so they are applied again after any change. */
function apiRole({ migrations, functions }: Schema): SchemaFile {
  const file = read('db', 'apiRole.sql', join(import.meta.dirname, 'apiRole.sql'))
  const all = [...migrations, ...functions, file].map(({ room, name, hash }) => room + name + hash)
  return { ...file, hash: createHash('sha256').update(all.join()).digest('hex') }
}

async function prepareRecord(client: pg.Client) {
  await client.query(`
    create schema if not exists db;
    grant usage on schema db to ergon_app, ergon_api, ergon_signer;
    create table if not exists db.migration (name text primary key, hash text not null, applied_at timestamptz not null default now());
    create table if not exists db.function_file (name text primary key, hash text not null);
    create table if not exists db.installed (hash text primary key, installed_at timestamptz not null default clock_timestamp());
    grant select on db.migration, db.function_file, db.installed to ergon_app, ergon_api, ergon_signer;
  `)
}

async function applyMigrations(client: pg.Client, { migrations }: Schema): Promise<number> {
  const applied = await recorded(client, 'db.migration')
  let count = 0
  for (const { room, name, sql, hash } of migrations) {
    const before = applied.get(`${room}/${name}`)
    if (before === hash) continue
    if (before)
      throw new CannotStart(
        `${room}/${name} was changed after it had been applied; add a new migration instead.`,
      )
    await inTransaction(client, `${room}/${name}`, async () => {
      await client.query(`create schema if not exists ${room.replaceAll('-', '_')}`)
      await client.query(sql)
      await client.query('insert into db.migration (name, hash) values ($1, $2)', [
        `${room}/${name}`,
        hash,
      ])
    })
    count += 1
  }
  return count
}

/**
 * Applies all files when one differs; returns how many did. A function may have moved between files, and the version
 * before has put it back by another file. Files that differ come last: after a crash they still differ.
 */
async function applyFunctions(client: pg.Client, { functions }: Schema): Promise<number> {
  const applied = await recorded(client, 'db.function_file')
  const isApplied = (file: SchemaFile) => applied.get(nameOf(file)) === file.hash
  const changed = functions.filter((file) => !isApplied(file))
  if (changed.length === 0) return 0
  for (const file of [...functions.filter(isApplied), ...changed]) {
    await inTransaction(client, nameOf(file), async () => {
      await client.query(file.sql)
      await client.query(
        `insert into db.function_file values ($1, $2) on conflict (name) do update set hash = excluded.hash`,
        [nameOf(file), file.hash],
      )
    })
  }
  return changed.length
}

/**
 * Our code beside the schema in the database. Older: a migration there is unknown to us. Followed: our functions were
 * installed, and others after them.
 */
async function ageOf(client: pg.Client, schema: Schema): Promise<'older' | 'followed' | 'newest'> {
  const known = new Set(schema.migrations.map(nameOf))
  const applied = await recorded(client, 'db.migration')
  if ([...applied.keys()].some((name) => !known.has(name))) return 'older'
  const installed = await client
    .query('select hash from db.installed order by installed_at desc')
    .catch(() => ({ rows: [] }))
  const place = installed.rows.findIndex(({ hash }) => hash === apiRole(schema).hash)
  return place > 0 ? 'followed' : 'newest'
}

function nameOf({ room, name }: SchemaFile): string {
  return `${room}/${name}`
}

async function recorded(client: pg.Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query(`select name, hash from ${table}`)
  return new Map(rows.map((row) => [row.name, row.hash]))
}

async function inTransaction(client: pg.Client, name: string, work: () => Promise<void>) {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Refuses to start when the schema lacks a migration or a function of this version: only the administrator's
 * URL can apply it. A process of an older version starts, because newer functions work for it too.
 */
export async function assertMigrated(url: string, schema: Schema = collectSchema()): Promise<void> {
  const client = await connectClient({ connectionString: url })
  try {
    const none = () => new Map<string, string>()
    const applied = await recorded(client, 'db.migration').catch(none)
    const missing = schema.migrations.find((file) => !applied.has(nameOf(file)))
    if (missing) throw lacks(nameOf(missing))
    if ((await ageOf(client, schema)) !== 'newest') return
    const installed = await recorded(client, 'db.function_file')
    const functions = [...schema.functions, apiRole(schema)]
    const changed = functions.find((file) => installed.get(nameOf(file)) !== file.hash)
    if (changed) throw lacks(`the functions of ${nameOf(changed)}`)
  } finally {
    await client.end()
  }
}

function lacks(what: string): CannotStart {
  return new CannotStart(
    `The database lacks ${what}. Run "npx ergon migrate", or set DATABASE_ADMIN_URL.`,
  )
}
