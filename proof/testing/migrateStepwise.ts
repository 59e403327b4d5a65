import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectSchema, migrate } from '../../service/db/index.ts'
import type { TestDatabase } from './database.ts'

const SERVICE = join(import.meta.dirname, '../../service')

/**
 * Runs every migration on an empty database, one at a time. `before.sql` inserts rows of the
 * version before, `after.sql` asserts what became of them. Returns what was run, in order.
 */
export async function migrateStepwise(
  database: TestDatabase,
  service: string = SERVICE,
): Promise<string[]> {
  const { migrations, functions } = collectSchema(service)
  const admin = database.url('ergon_admin')
  const done: string[] = []
  for (const [index, { room, name }] of migrations.entries()) {
    const run = async (file: string) => {
      const path = join(service, room, 'schema', name, file)
      if (!existsSync(path)) return
      await database.sql(readFileSync(path, 'utf8')).catch((error: Error) => {
        throw new Error(`${room}/${name}/${file}: ${error.message}`, { cause: error })
      })
      done.push(`${room}/${name}/${file}`)
    }
    await run('before.sql')
    await migrate(admin, { migrations: migrations.slice(0, index + 1), functions: [] })
    done.push(`${room}/${name}/up.sql`)
    await run('after.sql')
  }
  await migrate(admin, { migrations, functions })
  return done
}
