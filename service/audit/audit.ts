import type { AutoEnergy } from '../autoenergy/index.ts'
import { createHorizon, type Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import {
  countFindings,
  estimateRows,
  type FindingRow,
  insertFinding,
  type LastProofRow,
  listFindings,
  listProofs,
  type ProgressRow,
  readProgress,
  recordFailure,
  recordProof,
} from './audit.sql.ts'
import { type Invariant, invariants } from './invariants.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { tableOf } from './prove.sql.ts'
import { passOn, proveAll, proveNew } from './prove.ts'
import { checkSeals, passSeals, SEAL_MS } from './seals.ts'
import { checkSums, createSumCheck } from './sums.ts'

export type Finding = { invariant: string; promise: string; rows: unknown[] }

export type Audit = {
  /** Looks at the whole history; returns the first broken invariant, with its rows. */
  run(onRows?: (invariant: string, rows: number) => void): Promise<Finding | undefined>
  /** Looks at what came after the checkpoints, without moving them. */
  check(): Promise<Finding | undefined>
  /** Newest first. */
  findings(limit: number): Promise<FindingRow[]>
  foundSince(since: Date): Promise<bigint>
  proofs: Proofs
  /** When each invariant was last proven, by whichever process; oldest first. */
  lastProofs(): Promise<LastProofRow[]>
  /** Share of the full pass over all history that is done, and how many passes there were. */
  pass(): Promise<{ done: number; passes: bigint }>
  loop: Loop
  passLoop: Loop
}

type Deps = {
  db: Db
  /** Reads the books, with limits of its own. */
  books: Db
  runtime: Runtime
  log: Log
  orders: Orders
  autoenergy: AutoEnergy
}

/** How far each check is, by its name. */
type Progress = ReadonlyMap<string, ProgressRow>

const NEW_ROWS_MS = 60_000
/** Between two slices of the full pass: it takes five days for 15 million movements. */
const PASS_MS = 5_000
/** After the last slice of a check: a pass over a few rows is not repeated every minute. */
const PASS_REST_MS = 30_000
const SEALED: Omit<Invariant, 'checks'> = {
  name: 'M26',
  promise: 'movements stay as they were proven',
}
const SUMMED: Omit<Invariant, 'checks'> = {
  name: 'M27',
  promise: 'the sums of the ledger hold every movement up to their checkpoint',
}
const CHECKS = invariants.flatMap((of) => of.checks.map((check) => ({ of, check })))

/**
 * Checks the invariants, also in production. When one is broken it stops selling and records the
 * finding. It repairs nothing, because an automatic repair could add a second error.
 */
export function createAudit(deps: Deps): Audit {
  const { db, books, runtime, log, orders, autoenergy } = deps
  const horizon = createHorizon(runtime.clock, SEAL_MS)
  const proofs = createProofs({ db, clock: runtime.clock, log })
  const reading = { books, db, horizon, clock: runtime.clock }
  const sums = createSumCheck(books)
  let turn = 0

  async function act({ name, promise }: Omit<Invariant, 'checks'>, rows: unknown[]) {
    if (rows.length === 0) return undefined
    log.error('books_do_not_add_up', { invariant: name, reason: promise })
    const reason = `audit: ${name} is broken (${promise})`
    await orders.setSelling(false, reason)
    await autoenergy.setEnabled(false, reason)
    const example = JSON.stringify(rows[0])
    const now = runtime.clock.now()
    await db.query(insertFinding, [runtime.ids.next(), name, promise, example, now])
    return { invariant: name, promise, rows }
  }

  async function prove(
    invariant: Invariant,
    { progress, isRecorded }: { progress: Progress; isRecorded: boolean },
  ): Promise<Finding | undefined> {
    for (const check of invariant.checks) {
      if (check.inPassOnly) continue
      const proven = progress.get(check.name)?.proven ?? undefined
      const found = await act(invariant, await proveNew(reading, check, { proven, isRecorded }))
      if (found) return found
    }
    if (isRecorded) await db.query(recordProof, [invariant.name, runtime.clock.now()])
    return undefined
  }

  /** An invariant that raises stops no other: its age grows until an alert, then selling stops. */
  async function proveEach() {
    const progress = await readProgressOf()
    for (const invariant of invariants) {
      await prove(invariant, { progress, isRecorded: true }).catch(async (error) => {
        log.error('invariant_not_proven', { invariant: invariant.name, error })
        await db.query(recordFailure, [invariant.name])
      })
    }
    await proofs.look()
  }

  /** One slice of a check that has been through the fewest passes; false when it was the last of that check. */
  async function passNext(): Promise<boolean> {
    turn += 1
    const { checks, passesOf, progress } = await readPasses()
    const fewest = Math.min(...checks.map(({ check }) => passesOf(check.name)))
    const open = checks.filter(({ check }) => passesOf(check.name) === fewest)
    // Seals and sums have a turn of their own: they grow while the pass goes on.
    if (turn % (open.length + 1) === 0) {
      await act(SUMMED, (await sums.step()).broken)
      await act(SEALED, await passSeals(reading))
      return true
    }
    const { of, check } = open[turn % open.length]!
    const { passAt } = progress.get(check.name) ?? {}
    const { broken, isFull } = await passOn(reading, check, passAt ?? undefined)
    await act(of, broken)
    return isFull
  }

  const readProgressOf = async (): Promise<Progress> =>
    new Map((await books.query(readProgress)).map((row) => [row.name, row]))

  async function readPasses() {
    const progress = await readProgressOf()
    const passesOf = (name: string) => Number(progress.get(name)?.passes ?? 0n)
    const readOf = (name: string) => Number(progress.get(name)?.passRows ?? 0n)
    return { checks: CHECKS, passesOf, readOf, progress }
  }

  return {
    async run(onRows) {
      for (const invariant of invariants) {
        for (const check of invariant.checks) {
          const onSlice = (rows: number) => onRows?.(invariant.name, rows)
          const found = await act(invariant, await proveAll(books, check, onSlice))
          if (found) return found
        }
      }
      return (await act(SEALED, await checkSeals(books))) ?? act(SUMMED, await checkSums(books))
    },
    async check() {
      const progress = await readProgressOf()
      for (const invariant of invariants) {
        const found = await prove(invariant, { progress, isRecorded: false })
        if (found) return found
      }
      return undefined
    },
    findings: (limit) => db.query(listFindings, [limit]),
    foundSince: async (since) => (await db.query(countFindings, [since]))[0]!.count,
    proofs,
    lastProofs: () => db.query(listProofs, [invariants.map(({ name }) => name)]),
    async pass() {
      const { checks, passesOf, readOf } = await readPasses()
      const names = checks.map(({ check }) => tableOf(check.table))
      const estimates = await books.query(estimateRows, [names])
      const rowsOf = new Map(estimates.map(({ table, rows }) => [table, Number(rows)]))
      const fewest = Math.min(...checks.map(({ check }) => passesOf(check.name)))
      const shares = checks.map(({ check: { name, table } }) =>
        passesOf(name) > fewest ? 1 : shareOf(readOf(name), rowsOf.get(tableOf(table)) ?? 0),
      )
      const done = shares.reduce((sum, share) => sum + share, 0) / shares.length
      return { done, passes: BigInt(fewest) }
    },
    loop: createLoop({
      name: 'audit.check',
      everyMs: NEW_ROWS_MS,
      log,
      work: () => proveEach().then(() => 0),
    }),
    passLoop: createLoop({
      name: 'audit.pass',
      everyMs: PASS_REST_MS,
      afterWorkMs: PASS_MS,
      log,
      work: () => passNext().then(Number),
    }),
  }
}

/** The number of rows is an estimate, so a pass under way is never said to be complete. */
function shareOf(read: number, rows: number): number {
  return Math.min(read / Math.max(rows, 1), 0.99)
}
