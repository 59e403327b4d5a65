import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { CannotStart } from '../kernel/index.ts'
import { connectClient } from './connections.ts'

/**
 * Each room keeps its schema beside its code: `schema/<timestamp>-<what>/up.sql` are applied once, in
 * order of their timestamps over all rooms; `schema/*.sql` hold functions, applied again when they change.
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

/** Applies the schema. Of several processes the first does it; the others wait for the lock. */
export async function migrate(adminUrl: string, schema: Schema = collectSchema()): Promise<number> {
  const config = { connectionString: adminUrl, application_name: 'ergon-migrate' }
  const client = await connectClient(config)
  try {
    await client.query(`select pg_advisory_lock(${LOCK})`)
    await client.query(readFileSync(join(import.meta.dirname, 'roles.sql'), 'utf8'))
    await client.query('set role ergon_owner')
    await client.query(`set search_path = ''; set check_function_bodies = off`)
    await prepareRecord(client)
    const applied = (await applyMigrations(client, schema)) + (await applyFunctions(client, schema))
    await applyFunctions(client, { ...schema, functions: [apiRole(schema)] })
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
    grant select on db.migration, db.function_file to ergon_app, ergon_api, ergon_signer;
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

async function applyFunctions(client: pg.Client, { functions }: Schema): Promise<number> {
  const applied = await recorded(client, 'db.function_file')
  let count = 0
  for (const { room, name, sql, hash } of functions) {
    if (applied.get(`${room}/${name}`) === hash) continue
    await inTransaction(client, `${room}/${name}`, async () => {
      await client.query(sql)
      await client.query(
        `insert into db.function_file values ($1, $2) on conflict (name) do update set hash = excluded.hash`,
        [`${room}/${name}`, hash],
      )
    })
    count += 1
  }
  return count
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

/** Refuses to start when the schema lacks a migration: only the administrator's URL can apply it. */
export async function assertMigrated(url: string, schema: Schema = collectSchema()): Promise<void> {
  const client = await connectClient({ connectionString: url })
  try {
    const applied = await recorded(client, 'db.migration').catch(() => new Map<string, string>())
    const missing = schema.migrations.find((file) => !applied.has(`${file.room}/${file.name}`))
    if (missing) {
      throw new CannotStart(
        `The database lacks ${missing.room}/${missing.name}. Run "npx ergon migrate", or set DATABASE_ADMIN_URL.`,
      )
    }
  } finally {
    await client.end()
  }
}
