import type { Db } from '../../db/index.ts'
import type { Log, Loop, Runtime } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Providers } from '../../providers/index.ts'
import type { Range } from '../days.ts'
import {
  type DifferenceRow,
  listDays,
  listDifferences,
  listSources,
  type SourceStateRow,
  type StatementDayRow,
} from './decide.sql.ts'
import { createDecider, type Decider } from './decide.ts'
import { askSources } from './run.sql.ts'
import { createStatementLoop } from './run.ts'

export type Statements = Decider & {
  /** Every marketplace that was compared or cannot be, and how it stands. */
  sources(): Promise<SourceStateRow[]>
  /** By day and marketplace, newest first. */
  days(range: Range): Promise<StatementDayRow[]>
  /** Those that wait for a person first. */
  differences(of: { waiting: boolean; provider?: string | undefined }): Promise<DifferenceRow[]>
  /** Makes comparisons due at once; a worker makes them. Returns whose. */
  ask(provider?: string): Promise<string[]>
  loop: Loop
}

const DAYS_LISTED = 1_000
const LISTED = 500

/** What marketplaces say that they charged, against our books; what differs waits for a person. */
export function createStatements(deps: {
  db: Db
  runtime: Runtime
  log: Log
  ledger: Ledger
  providers: Providers
}): Statements {
  const { db, runtime } = deps
  const loop = createStatementLoop(deps)
  return {
    ...createDecider(deps),
    sources: () => db.query(listSources),
    days: ({ from, to }) => db.query(listDays, [from, to, DAYS_LISTED]),
    differences: ({ waiting, provider }) =>
      db.query(listDifferences, [waiting, provider ?? null, LISTED]),
    async ask(provider) {
      const asked = await db.query(askSources, [provider ?? null, runtime.clock.now()])
      loop.wake()
      return asked.map((row) => row.provider).toSorted()
    },
    loop,
  }
}
