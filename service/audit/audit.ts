import type { AutoEnergy } from '../autoenergy/index.ts'
import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import {
  advanceCheckpoints,
  countFindings,
  type FindingRow,
  insertFinding,
  listFindings,
  repeatableRead,
} from './audit.sql.ts'
import { type Invariant, invariants } from './invariants.ts'

export type Finding = { invariant: string; promise: string; rows: unknown[] }

export type Audit = {
  /** Checks every invariant in one snapshot; returns the first that is broken, with its rows. */
  run(): Promise<Finding | undefined>
  /** Newest first. */
  findings(limit: number): Promise<FindingRow[]>
  foundSince(since: Date): Promise<bigint>
  loop: Loop
}

const QUICK_MS = 60_000
const ROUNDS_PER_FULL = 10
const SERIALIZATION_FAILURE = '40001'

/**
 * Checks the invariants, also in production. When one is broken it stops selling and records the
 * finding. It repairs nothing, because an automatic repair could add a second error.
 */
export function createAudit(deps: {
  db: Db
  runtime: Runtime
  log: Log
  orders: Orders
  autoenergy: AutoEnergy
}): Audit {
  const { db, runtime, log, orders, autoenergy } = deps
  let round = 0

  async function check(which: readonly Invariant[]): Promise<Finding | undefined> {
    let isSound = false
    const checked = db.transaction(async (tx) => {
      await tx.query(repeatableRead)
      for (const { name, promise, broken } of which) {
        const rows = await tx.query(broken)
        if (rows.length > 0) {
          return { invariant: name, promise, rows: rows.map((row) => JSON.parse(row.broken)) }
        }
      }
      isSound = true
      await tx.query(advanceCheckpoints)
      return undefined
    })
    return checked.catch((error) => {
      // Another auditor has advanced the checkpoints since our snapshot.
      if (isSound && error.code === SERIALIZATION_FAILURE) return undefined
      throw error
    })
  }

  async function act(finding: Finding | undefined) {
    if (!finding) return
    const { invariant, promise, rows } = finding
    log.error('books_do_not_add_up', { invariant, reason: promise })
    const reason = `audit: ${invariant} is broken (${promise})`
    await orders.setSelling(false, reason)
    await autoenergy.setEnabled(false, reason)
    const example = JSON.stringify(rows[0])
    await db.query(insertFinding, [
      runtime.ids.next(),
      invariant,
      promise,
      example,
      runtime.clock.now(),
    ])
  }

  return {
    async run() {
      const finding = await check(invariants)
      await act(finding)
      return finding
    },
    findings: (limit) => db.query(listFindings, [limit]),
    foundSince: async (since) => (await db.query(countFindings, [since]))[0]!.count,
    loop: createLoop({
      name: 'audit.check',
      everyMs: QUICK_MS,
      log,
      async work() {
        const full = round % ROUNDS_PER_FULL === 0
        round += 1
        await act(await check(full ? invariants : invariants.filter(({ quick }) => quick)))
        return 0
      },
    }),
  }
}
