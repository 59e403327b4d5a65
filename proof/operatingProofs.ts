import { type ChaosReport, runChaos } from './faults/chaos/chaos.ts'
import { type Fault, failOvers, rollingRestarts } from './faults/chaos/faults.ts'
import type { OpenDatabases } from './faults/chaos/world.ts'
import { runManual } from './manual/manual.ts'
import { openPatroni, patroniMissing } from './servers/patroni.ts'
import { runPoolers } from './servers/poolers.ts'
import { runVersions } from './servers/versions.ts'

// What operators do, each as a proof with its figures; docs/operating says the same.

export type Row = { what: string; load: string; faults: string; inputs: string; violations: string }

const say = (line: string) => console.log(`  ${line}`)
const seconds = (ms: number[]) => ms.map((one) => (one / 1_000).toFixed(1)).join(', ')
/** What was not tried has not passed. */
const notTried = (what: string, why: string): Row => {
  say(`not tried: ${why}`)
  return { what, load: '–', faults: '–', inputs: '–', violations: `not tried: ${why}` }
}

export async function manual(): Promise<Row[]> {
  const report = await runManual(say)
  const what = 'the operating manual, block by block'
  if (report.notTried) return [notTried(what, report.notTried)]
  const { ran, acted, skipped, failures } = report
  const inputs = `${ran} blocks run, ${skipped} left out with a reason`
  const faults = `${acted} steps of people`
  return [{ what, load: '–', faults, inputs, violations: String(failures.length) }]
}

export async function versions(): Promise<Row[]> {
  const { passed, notTried, failures } = await runVersions(say)
  const rest = notTried.length > 0 ? `; not tried: ${notTried.join(', ')}` : ''
  return [
    {
      what: 'versions of PostgreSQL',
      load: '5 orders on each',
      faults: '14 is refused',
      inputs: `${passed.join(', ')}${rest}`,
      violations: String(failures.length),
    },
  ]
}

export async function poolers(): Promise<Row[]> {
  const report = await runPoolers(say)
  const rest = report.notTried.length > 0 ? `; not tried: ${report.notTried.join(', ')}` : ''
  return [
    {
      what: 'a pooler in front of PostgreSQL',
      load: '5 orders in session mode',
      faults: 'transaction mode is refused',
      inputs: `${report.tried.join(', ')} with ${report.with}${rest}`,
      violations: String(report.failures.length),
    },
  ]
}

type Asked = {
  faults: Readonly<Record<string, Fault>>
  times: number
  openDatabases?: OpenDatabases
}

/** Chosen faults under a steady load, and everything that was answered looked for at the end. */
async function underLoad({ faults, times, openDatabases }: Asked): Promise<ChaosReport> {
  const report = await runChaos({
    seed: 1,
    accounts: 40,
    trx: 3_000,
    perSecond: 8,
    perSecondAtKill: 20,
    readers: 4,
    answers: 0,
    orders: 0,
    seconds: 0,
    terminations: 0,
    purchasesBetween: 40,
    report: say,
    chosen: { faults, times },
    ...(openDatabases && { openDatabases }),
  })
  for (const [answer, count] of Object.entries(report.seen)) say(`clients saw ${count} × ${answer}`)
  for (const sentence of report.violations) say(`VIOLATION ${sentence}`)
  return report
}

function rowOf(what: string, faults: string, report: ChaosReport): Row {
  const { acknowledged, completed, refunded, loadSeconds, violations } = report
  return {
    what,
    load: `${acknowledged} purchases in ${loadSeconds} s; ${completed} delivered, ${refunded} refunded`,
    faults,
    inputs: seenIn(report),
    violations: String(violations.length),
  }
}

/** Counts by status alone: bodies are printed above the table. */
function seenIn({ seen }: ChaosReport): string {
  const counts = new Map<string, number>()
  for (const [answer, count] of Object.entries(seen)) {
    const status = answer === 'no answer' ? answer : answer.slice(0, 3)
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}

export async function failOver(): Promise<Row[]> {
  const report = await underLoad({ faults: failOvers, times: 3 })
  const { withoutSalesMs, sellingAgainMs } = report
  const faults = `${withoutSalesMs.length} promotions; no sale for ${seconds(withoutSalesMs)} s, of these ${seconds(sellingAgainMs)} s after the promotion`
  return [rowOf('fail-over', faults, report)]
}

export async function rollingRestart(): Promise<Row[]> {
  const report = await underLoad({ faults: rollingRestarts, times: 1 })
  const faults = `7 processes replaced one after the other, in ${seconds(report.replacedMs)} s`
  return [rowOf('rolling restart', faults, report)]
}

/** Patroni promotes: nobody else does anything. */
export async function patroni(): Promise<Row[]> {
  const what = 'Patroni fails over by itself'
  const missing = patroniMissing()
  if (missing) return [notTried(what, missing)]
  const trials = [
    { dies: 'machine', times: 2, killed: 'kill -9 of the leader' },
    { dies: 'patroni', times: 1, killed: 'kill -9 of its Patroni alone' },
  ] as const
  const rows: Row[] = []
  for (const { dies, times, killed } of trials) {
    const report = await underLoad({
      faults: failOvers,
      times,
      openDatabases: openPatroni(dies),
    })
    const { withoutSalesMs } = report
    const faults = `${withoutSalesMs.length} × ${killed}; no sale for ${seconds(withoutSalesMs)} s`
    rows.push(rowOf(what, faults, report))
  }
  return rows
}

export function restoreRow(ran: { output: string; passed: number; failed: number }): Row {
  const figures = /restore: (.*)/.exec(ran.output)?.[1] ?? '?'
  say(figures)
  return {
    what: 'restore to a moment',
    load: figures,
    faults: 'the server is lost',
    inputs: `${ran.passed + ran.failed} tests`,
    violations: ran.passed > 0 ? String(ran.failed) : 'did not run',
  }
}
