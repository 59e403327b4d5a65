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
  oldestOpen,
  type SourceStateRow,
  type StatementDayRow,
} from './decide.sql.ts'
import { createDecider, type Decider } from './decide.ts'
import { askSources } from './run.sql.ts'
import { createStatementLoop, type ToppedUp } from './run.ts'

export type Statements = Decider & {
  /** Every marketplace that was compared or cannot be, and how it stands. */
  sources(): Promise<SourceStateRow[]>
  /** By day and marketplace, newest first. */
  days(range: Range): Promise<StatementDayRow[]>
  /** Those that wait for a person first. */
  differences(of: { waiting: boolean; provider?: string | undefined }): Promise<DifferenceRow[]>
  /** Differences that nobody has decided, since when, and marketplaces that were not compared for too long. */
  pulse(): Promise<{
    open: bigint
    claimed: bigint
    since: Date | null
    unread: bigint
    /** Since when each that can be compared was not. */
    ages: { provider: string; since: Date }[]
  }>
  /** Makes comparisons due at once; a worker makes them. Returns whose. */
  ask(provider?: string): Promise<string[]>
  loop: Loop
}

/** A night, and time for the tries after it. */
const AGE_MS_MAX = 30 * 3_600_000
const DAYS_LISTED = 1_000
const LISTED = 500

/** What marketplaces say that they charged, against our books; what differs waits for a person. */
export function createStatements(deps: {
  db: Db
  runtime: Runtime
  log: Log
  ledger: Ledger
  providers: Pick<Providers, 'marketplaces' | 'mayCall'>
  toppedUp: ToppedUp
}): Statements {
  const { db, runtime } = deps
  const loop = createStatementLoop(deps)
  const { marketplaces } = deps.providers
  /** One whose key was taken away is not compared any more; a command has no keys at all. */
  const isOurs = ({ provider }: SourceStateRow) =>
    marketplaces.size === 0 || marketplaces.has(provider)
  return {
    ...createDecider(deps),
    sources: () => db.query(listSources),
    days: ({ from, to }) => db.query(listDays, [from, to, DAYS_LISTED]),
    differences: ({ waiting, provider }) =>
      db.query(listDifferences, [waiting, provider ?? null, LISTED]),
    async pulse() {
      const rows = (await db.query(listSources)).filter(isOurs)
      const now = runtime.clock.now().getTime()
      const ages = rows
        .filter(({ way }) => way !== 'none')
        .map(({ provider, comparedAt, knownSince }) => ({
          provider,
          since: comparedAt ?? knownSince,
        }))
      const old = ages.filter(({ since }) => now - since.getTime() > AGE_MS_MAX)
      return {
        open: rows.reduce((sum, { open }) => sum + open, 0n),
        claimed: rows.reduce((sum, { claimed }) => sum + claimed, 0n),
        since: (await db.query(oldestOpen))[0]!.since,
        unread: BigInt(old.length),
        ages,
      }
    },
    async ask(provider) {
      const asked = await db.query(askSources, [provider ?? null, runtime.clock.now()])
      loop.wake()
      return asked.map((row) => row.provider).toSorted()
    },
    loop,
  }
}
