import type { Command } from './command.ts'
import { config } from './commands/config.ts'
import { keys } from './commands/keys.ts'
import { migrateDatabase } from './commands/migrate.ts'

/** What `npx ergon <name>` can do inside the repository without the rooms. */
export const commands: Record<string, Command> = { config, keys, migrate: migrateDatabase }

export { runPayout } from './commands/payout.ts'
export { runReconcile } from './commands/reconcile.ts'
export { runUndecided } from './commands/undecided.ts'
export { createOperator, type Operator } from './operator.ts'
export { type ConsoleDeps, consoleRoutes, entranceRoutes } from './routes/index.ts'
