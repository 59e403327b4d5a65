import type { Measured } from './load.ts'
import type { ProcessorTime } from './processorTime.ts'

/** One thing to measure; `server` is the process that answers, where it is not the database itself. */
export type Variant = { name: string; server: number; run(seconds: number): Promise<Measured> }

/** What a round measured: the rate, and the processor time that one request cost, in microseconds. */
export type Sample = Measured & { serverMicros: number; databaseMicros: number }

export type Samples = Map<string, Sample[]>

export type RoundsOptions = {
  rounds: number
  seconds: number
  readTime(server: number): ProcessorTime
  tell(line: string): void
}

const WARM_UP_SECONDS_MAX = 2

/**
 * Interleaved: every round measures every variant once, each round beginning with another, so that
 * what drifts on the machine drifts for all of them. Ratios are taken within a round.
 */
export async function measureRounds(
  variants: Variant[],
  { rounds, seconds, readTime, tell }: RoundsOptions,
): Promise<Samples> {
  const samples: Samples = new Map(variants.map(({ name }) => [name, []]))
  for (const { run } of variants) await run(Math.min(seconds, WARM_UP_SECONDS_MAX))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const { name, server, run } = variants[(turn + round) % variants.length]!
      const before = readTime(server)
      const measured = await run(seconds)
      const after = readTime(server)
      const perRequest = (ms: number) => (ms * 1_000) / measured.count
      samples.get(name)!.push({
        ...measured,
        serverMicros: perRequest(after.server - before.server),
        databaseMicros: perRequest(after.database - before.database),
      })
      tell(`round ${round + 1}/${rounds}  ${name}: ${Math.round(measured.perSecond)}/s`)
    }
  }
  return samples
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
