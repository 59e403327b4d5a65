import type { Server } from './database.ts'
import { simulate } from './simulate.ts'

/** The seed of the schedule; any would do. */
const SEED = 1

/**
 * One deposit, one purchase, its delivery and its reclaim: once without a fault, then once per step
 * with a crash at that step. The order must be completed each time.
 */
export async function exhaust(
  server: Server,
  { lanes, withinMs = Number.POSITIVE_INFINITY }: { lanes: number; withinMs?: number },
): Promise<{ points: number; of: number; broken: string[]; seconds: number }> {
  const startedMs = performance.now()
  const clean = await simulate(server, { seed: SEED, exact: { crashAt: undefined } })
  const broken: string[] =
    clean.violation === undefined ? [] : [`without a crash: ${clean.violation}`]
  const queue = scattered(clean.points)
  let points = 0
  const lane = async () => {
    for (let crashAt = queue.shift(); crashAt !== undefined; crashAt = queue.shift()) {
      if (performance.now() - startedMs > withinMs) return
      points += 1
      const run = await simulate(server, { seed: SEED, exact: { crashAt } })
      const at = run.trace.find((line) => line.includes(' crashes at ')) ?? 'no crash'
      const { completed, failed } = run.orders
      if (run.violation !== undefined) broken.push(`step ${crashAt}, ${at}: ${run.violation}`)
      else if (run.crashes !== 1) broken.push(`step ${crashAt}: ${run.crashes} crashes`)
      else if (completed !== 1 || failed !== 0) {
        broken.push(`step ${crashAt}, ${at}: ${completed} completed, ${failed} refunded`)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const seconds = (performance.now() - startedMs) / 1_000
  return { points, of: clean.points.length, broken, seconds }
}

/**
 * Orders the points so that any first part is spread over the whole run: time may not allow all of
 * them.
 */
function scattered(points: readonly number[]): number[] {
  const stride = Math.max(1, Math.round(points.length / 8))
  return Array.from({ length: stride }, (_, first) =>
    points.filter((_, index) => index % stride === first),
  ).flat()
}
