import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BooksGroup } from '@ergon/contract'
import { type Books, createBooks } from '../../service/books/index.ts'
import { openDb, startPostgres } from '../../service/db/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { fillIn } from './old/world.ts'
import { type Handed, type Row, type Suite, spread } from './row.ts'
import { generateYear } from './yearHistory.ts'

// npm run bench -- report --rows 5m
// A year of orders of 1,000 clients at three marketplaces and own stake: how long its profit and loss takes.

const ROUNDS = 3
/** Orders that a worker counts; the sums of those before them are generated with them. */
const UNCOUNTED = 20_000
const COUNTED_IN_A_ROUND = 10_000
const SECONDS_MUST = 10
const DAY_MS = 86_400_000
const GROUPINGS: BooksGroup[][] = [['day'], ['month', 'product', 'provider'], ['client']]

export const measureReport: Suite = async ({ rows: orders, rounds = ROUNDS, tell }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-report-'))
  try {
    return await measureIn(folder, { orders, rounds, tell })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Wanted = { orders: number; rounds: number; tell(line: string): void }

async function measureIn(folder: string, { orders, rounds, tell }: Wanted): Promise<Handed> {
  const end = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)
  const range = { from: dayOf(new Date(end.getTime() - 365 * DAY_MS)), to: dayOf(end) }
  const uncounted = Math.min(UNCOUNTED, orders)
  const generatedMs = await timeOf(() =>
    fillIn(folder, (url) => generateYear(url, { orders, end, uncounted, tell })),
  )
  const postgres = await startPostgres({ folder })
  const runtime = systemRuntime()
  const open = { runtime, log: silentLog, name: 'bench' }
  const db = await openDb({ ...open, connections: 2, urls: [postgres.url('ergon_app')] })
  const urls = [postgres.url('ergon_admin')]
  const admin = await openDb({ ...open, connections: 1, urls })
  try {
    const books = createBooks({ db, runtime, log: silentLog })
    const countedMs = await timeOf(() => count(books, tell))
    const comparedMs = await timeOf(() => compareAll(books, tell))
    const measured: Row[] = []
    for (const groups of GROUPINGS) {
      const taken: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now()
        const { completed } = (await books.report(range, groups)).total
        taken.push((performance.now() - began) / 1_000)
        if (completed !== BigInt(orders)) {
          throw new Error(`By ${groups.join(', ')} it has ${completed} orders.`)
        }
      }
      measured.push({
        figure: `a year with ${orders.toLocaleString('en-US')} orders, by ${groups.join(', ')}`,
        unit: 's',
        ...spread(taken),
        must: SECONDS_MUST,
        atMost: true,
      })
    }
    const { total, check } = await books.report(range, [])
    if (total.completed !== BigInt(orders) || check.different.length + check.uncompared > 0) {
      throw new Error(`${total.completed} orders are in the report. ${check.sentence}`)
    }
    const [size] = await admin.query<{ rows: bigint }>({
      name: 'bench.daily',
      text: 'select count(*) as rows from books.daily',
    })
    const seconds = (ms: number) => (ms / 1_000).toFixed(0)
    const perSecond = Math.round((uncounted * 1_000) / countedMs)
    return {
      rows: measured,
      remarks: [
        `${check.sentence} The sums have ${size!.rows.toLocaleString('en-US')} rows.`,
        `Generated in ${seconds(generatedMs)} s. The last ${uncounted} orders were counted in ${seconds(countedMs)} s, ${perSecond} a second; all days were compared in ${seconds(comparedMs)} s.`,
      ],
    }
  } finally {
    await db.close()
    await admin.close()
    await postgres.stop()
  }
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Rounds that count movements return the number of them; the first that does not compares days. */
async function count(books: Books, tell: (line: string) => void) {
  for (let rounds = 1; (await books.loop.runOnce()) >= COUNTED_IN_A_ROUND; rounds += 1) {
    if (rounds % 10 === 0) tell(`counted in ${rounds} rounds`)
  }
}

async function compareAll(books: Books, tell: (line: string) => void) {
  for (let rounds = 1; (await books.loop.runOnce()) > 0; rounds += 1) {
    if (rounds % 10 === 0) tell(`compared in ${rounds} rounds`)
  }
}
