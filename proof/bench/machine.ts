import { cpus, loadavg } from 'node:os'
import { familyTime, processors, readProcessorTime } from './processorTime.ts'
import { table } from './row.ts'

/** What the machine did meanwhile; `others` is the part of it that was not ours. */
export type Meanwhile = {
  seconds: number
  loadBefore: number
  loadAfter: number
  busy: number
  others: number
}

/** Ask when every program that was started has ended: only then its time is known to be ours. */
export function watchMachine(): () => Meanwhile {
  const everybody = () => readProcessorTime({ server: 0, database: 0 }).everybody
  const before = { load: loadavg()[0]!, everybody: everybody(), ours: familyTime() }
  const started = performance.now()
  return () => {
    const elapsedMs = performance.now() - started
    const share = (ms: number) => ms / elapsedMs / processors()
    const busyMs = everybody() - before.everybody
    return {
      seconds: elapsedMs / 1_000,
      loadBefore: before.load,
      loadAfter: loadavg()[0]!,
      busy: share(busyMs),
      others: Math.max(0, share(busyMs - (familyTime() - before.ours))),
    }
  }
}

export const machine = () => ({
  processors: processors(),
  model: cpus()[0]?.model ?? 'unknown',
  node: process.version,
})

export function machineLine(): string {
  const { processors: count, model, node } = machine()
  return `${count} × ${model}, Node ${node}, fsync and synchronous_commit on`
}

export function meanwhileTable(suites: { suite: string; meanwhile: Meanwhile }[]): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`
  const rows = suites.map(({ suite, meanwhile }) => [
    suite,
    meanwhile.seconds.toFixed(0),
    meanwhile.loadBefore.toFixed(2),
    meanwhile.loadAfter.toFixed(2),
    percent(meanwhile.busy),
    percent(meanwhile.others),
  ])
  const head = ['Suite', 'Seconds', 'Load before', 'Load after', 'Processors busy', 'By others']
  return table(head, rows)
}
