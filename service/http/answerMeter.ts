import type { Metric, MetricValue, Registry } from 'prom-client'

const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2]

type Labels = { method: string; route: string }
/** How many answers were as fast as each bucket says and slower than the one before; the last is the rest. */
type Timed = { labels: Labels; within: number[]; sum: number }
/** Of one route and method: its answers by status, and how long all of them took. */
type Counted = { counted: Map<number, number>; timed: Timed }

export type Series = { add(status: number, seconds: number): void }
export type AnswerMeter = { of(method: string, route: string): Series }

/**
 * Counts and times answers by adding to a few numbers; lines for Prometheus are made when somebody asks.
 * The library's own counter and histogram cost as much as finding the account behind a key.
 */
export function createAnswerMeter(registry: Registry): AnswerMeter {
  // By route, then by method: looking up names that exist is cheaper than making one of both.
  const series = new Map<string, Map<string, Counted & Series>>()
  const all = () => [...series.values()].flatMap((ofRoute) => [...ofRoute.values()])

  function seriesOf(method: string, route: string): Series {
    const known = series.get(route)?.get(method)
    if (known) return known
    const made = newSeries(method, route)
    const ofRoute = series.get(route) ?? new Map()
    series.set(route, ofRoute.set(method, made))
    return made
  }

  const counts = () =>
    all().flatMap(({ timed: { labels }, counted }) =>
      [...counted].map(([status, count]) => ({ labels: { ...labels, status }, value: count })),
    )
  register(registry, 'counter', 'ergon_http_answers_total', {
    help: 'Answers by route and status.',
    read: counts,
  })
  register(registry, 'histogram', 'ergon_http_answer_seconds', {
    help: 'Time from the headers of a request to its answer.',
    read: (name) => all().flatMap(({ timed }) => linesOf(name, timed)),
  })

  return { of: seriesOf }
}

function newSeries(method: string, route: string): Counted & Series {
  const timed = { labels: { method, route }, within: Array(BUCKETS.length + 1).fill(0), sum: 0 }
  const counted = new Map<number, number>()
  return {
    timed,
    counted,
    add(status, seconds) {
      counted.set(status, (counted.get(status) ?? 0) + 1)
      timed.sum += seconds
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket += 1
      timed.within[bucket]! += 1
    },
  }
}

type Line = { labels: Record<string, string | number>; value: number; metricName?: string }

function linesOf(name: string, { labels, within, sum }: Timed): Line[] {
  let count = 0
  const buckets = within.map((answers, bucket) => {
    count += answers
    const le = BUCKETS[bucket] ?? '+Inf'
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}

/** What a registry asks of a metric is its name and its lines; the library's type asks for its classes. */
function register(
  registry: Registry,
  type: 'counter' | 'histogram',
  name: string,
  { help, read }: { help: string; read(name: string): Line[] },
) {
  const get = async () => ({ name, help, type, values: read(name) as MetricValue<string>[] })
  registry.registerMetric({ name, get } as unknown as Metric)
}
