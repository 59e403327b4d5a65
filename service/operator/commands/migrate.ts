import { assertOwnSessions, findPrimary, migrate } from '../../db/index.ts'
import { CannotStart, environment, readSettings, systemRuntime } from '../../kernel/index.ts'
import type { Command } from '../command.ts'
import { readLine } from '../options.ts'
import { EXIT } from './response.ts'
import { troubleOf } from './troubleOf.ts'
import { usage } from './usage.ts'

export const migrateDatabase: Command = {
  summary: 'Brings the database of DATABASE_ADMIN_URL to the schema of this version',
  usage: usage.migrate,
  async run(args) {
    try {
      const { DATABASE_ADMIN_URL } = readSettings(environment())
      if (DATABASE_ADMIN_URL.length === 0) {
        throw new CannotStart(
          'Set DATABASE_ADMIN_URL; the embedded database migrates by itself at npm start.',
        )
      }
      await assertOwnSessions(DATABASE_ADMIN_URL, systemRuntime())
      const applied = await migrate(await findPrimary(DATABASE_ADMIN_URL))
      const text = applied === 0 ? 'Nothing to do.' : `${applied} files of SQL applied.`
      readLine(args).say({ applied }, text)
      return 0
    } catch (error) {
      console.error(troubleOf(error).replace(/\bDATABASE_URL/, 'DATABASE_ADMIN_URL'))
      return EXIT.refused
    }
  },
}
