import { cpus, loadavg } from 'node:os'
import { familyTime, processors, readProcessorTime } from './processorTime.ts'
import { table } from './row.ts'

/**
 * The machine's processor time during a run: `others` was not ours, `stolen` was taken by its host.
 */
export type Meanwhile = {
  seconds: number
  loadBefore: number
  loadAfter: number
  busy: number
  others: number
  stolen: number
}

/** Call the result when every started program has ended: only then its time counts as ours. */
export function watchMachine(): () => Meanwhile {
  const now = () => readProcessorTime({ server: 0, database: 0 })
  const before = { load: loadavg()[0]!, time: now(), ours: familyTime() }
  const started = performance.now()
  return () => {
    const elapsedMs = performance.now() - started
    const share = (ms: number) => ms / elapsedMs / processors()
    const { everybody, stolen } = now()
    const busyMs = everybody - before.time.everybody
    return {
      seconds: elapsedMs / 1_000,
      loadBefore: before.load,
      loadAfter: loadavg()[0]!,
      busy: share(busyMs),
      others: Math.max(0, share(busyMs - (familyTime() - before.ours))),
      stolen: share(stolen - before.time.stolen),
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
    percent(meanwhile.stolen),
  ])
  const times = ['Seconds', 'Load before', 'Load after']
  const shares = ['Processors busy', 'By others', 'Taken by the host']
  return table(['Suite', ...times, ...shares], rows)
}
