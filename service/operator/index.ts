import type { Command } from './command.ts'
import { config } from './commands/config.ts'
import { migrateDatabase } from './commands/migrate.ts'

/** What `npx ergon <name>` can do inside the repository. */
export const commands: Record<string, Command> = { config, migrate: migrateDatabase }
