import type { Measured } from './load.ts'
import { type ProcessorTime, processors } from './processorTime.ts'

/** One thing to measure; `server` is the process that answers, where it is not the database itself. */
export type Variant = { name: string; server: number; run(seconds: number): Promise<Measured> }

/**
 * What a round measured: the rate, the processor time that one request cost, in microseconds, the share
 * of the processors that the host took away meanwhile, and whether it was therefore measured twice.
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
/** A host that takes more than this of our processors is measured, not what runs on them. */
const STOLEN_MAX = 0.01
/** So many measurements of all may be taken again: on a machine that is never quiet it has an end. */
const AGAIN_MAX = 1 / 3

/**
 * Interleaved: every round measures every variant once, each round beginning with another, so that
 * what drifts on the machine drifts for all of them. Ratios are taken within a round. A measurement
 * that the host disturbed is taken again at once, and the less disturbed of the two counts.
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

/** What the host took, in a sentence. */
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
