import type { Measured } from './load.ts'
import { type ProcessorTime, processors } from './processorTime.ts'

/** One thing to measure; `server` is the process that answers, if it is not the database. */
export type Variant = { name: string; server: number; run(seconds: number): Promise<Measured> }

/**
 * The result of a round: the rate, the processor time of one request in microseconds, the share of
 * the processors that the host stole, and whether it was therefore measured twice.
 */
export type Sample = Measured & {
  serverMicros: number
  databaseMicros: number
  stolen: number
  twice?: true
}

export type Samples = Map<string, Sample[]>

export type RoundsOptions = {
  rounds: number
  seconds: number
  readTime(server: number): ProcessorTime
  tell(line: string): void
}

const WARM_UP_SECONDS_MAX = 2
/** If the host steals more than this, the host is measured and not our program. */
const STOLEN_MAX = 0.01
/**
 * The most measurements that are repeated, as a share: a machine that is never quiet must not
 * repeat for ever.
 */
const AGAIN_MAX = 1 / 3

/**
 * Interleaved: every round measures every variant once and starts with another one, so that drift
 * of the machine affects all of them. Ratios are taken within a round. A measurement that the host
 * disturbed is repeated at once, and the less disturbed one counts.
 */
export async function measureRounds(
  variants: Variant[],
  { rounds, seconds, readTime, tell }: RoundsOptions,
): Promise<Samples> {
  const samples: Samples = new Map(variants.map(({ name }) => [name, []]))
  for (const { run } of variants) await run(Math.min(seconds, WARM_UP_SECONDS_MAX))
  let againLeft = Math.floor(rounds * variants.length * AGAIN_MAX)

  async function measure({ server, run }: Variant): Promise<Sample> {
    const startedMs = performance.now()
    const before = readTime(server)
    const measured = await run(seconds)
    const after = readTime(server)
    const wholeMs = (performance.now() - startedMs) * processors()
    const perRequest = (ms: number) => (ms * 1_000) / measured.count
    return {
      ...measured,
      serverMicros: perRequest(after.server - before.server),
      databaseMicros: perRequest(after.database - before.database),
      stolen: (after.stolen - before.stolen) / wholeMs,
    }
  }

  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(turn + round) % variants.length]!
      let sample = await measure(variant)
      if (sample.stolen > STOLEN_MAX && againLeft > 0) {
        againLeft -= 1
        tell(`round ${round + 1}/${rounds}  ${variant.name}: disturbed by the host, once more`)
        const second = await measure(variant)
        sample = { ...(second.stolen < sample.stolen ? second : sample), twice: true }
      }
      samples.get(variant.name)!.push(sample)
      tell(`round ${round + 1}/${rounds}  ${variant.name}: ${Math.round(sample.perSecond)}/s`)
    }
  }
  return samples
}

/** The share that the host stole, in a sentence. */
export function stolenLine(samples: Samples): string {
  const all = [...samples.values()].flat()
  const twice = all.filter((sample) => sample.twice).length
  const disturbed = all.filter(({ stolen }) => stolen > STOLEN_MAX).length
  return `Of ${all.length} measurements ${twice} were taken twice because the host took more than ${STOLEN_MAX * 100} % of the processors; in ${disturbed} of those that count it did.`
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
