import type { Command } from './command.ts'
import { config } from './commands/config.ts'
import { keys } from './commands/keys.ts'
import { migrateDatabase } from './commands/migrate.ts'
import { operatorKey } from './commands/operatorKey.ts'

/** Commands of `npx ergon` inside the repository that need no rooms. */
export const commands: Record<string, Command> = {
  config,
  keys,
  migrate: migrateDatabase,
  'operator-key': operatorKey,
}

export type { Command } from './command.ts'
export { runAccounts } from './commands/accounts.ts'
export { runAdjust } from './commands/adjust.ts'
export { runAnnouncements } from './commands/announcements.ts'
export { runBars } from './commands/bars.ts'
export { runDoctor } from './commands/doctor.ts'
export { runFloats } from './commands/floats.ts'
export { runFollowed } from './commands/followed.ts'
export { runGroups } from './commands/groups.ts'
export { runHotWallet } from './commands/hotWallet.ts'
export { runIncidents } from './commands/incidents.ts'
export { runInvoices } from './commands/invoices.ts'
export { runLog } from './commands/log.ts'
export { runOperators } from './commands/operators.ts'
export { runOrder } from './commands/order.ts'
export { runPayout } from './commands/payout.ts'
export { runPlans, runProviders, runSchedule } from './commands/prices.ts'
export { runReconcile } from './commands/reconcile.ts'
export { runConfirm, runRecover } from './commands/recover.ts'
export { runReferral } from './commands/referral.ts'
export { runReport } from './commands/report.ts'
export { EXIT, notUnderstood } from './commands/response.ts'
export { ensureSignerFiles, isOfSignerFiles, runSignerFiles } from './commands/signer.ts'
export { runSigning } from './commands/signing.ts'
export { runSql } from './commands/sql.ts'
export { runStakes } from './commands/stakes.ts'
export { runStatements } from './commands/statements.ts'
export { runStatus } from './commands/status.ts'
export { runSwitches } from './commands/switches.ts'
export { troubleOf } from './commands/troubleOf.ts'
export { runUndecided } from './commands/undecided.ts'
export { understood } from './commands/understood.ts'
export { usage } from './commands/usage.ts'
export { GAUGES } from './metrics.ts'
export { createOperator, type Operator } from './operator.ts'
export { type Line, readLine, Unclear } from './options.ts'
export { COMMAND_ROLES, roleOfRoute } from './permissions.ts'
export {
  type ConsoleDeps,
  consoleRoutes,
  entranceRoutes,
  passkeyChallengeRoute,
} from './routes/index.ts'
