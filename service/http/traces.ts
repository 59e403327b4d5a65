import { createHash } from 'node:crypto'
import { createLoop, type Log, withoutSecrets } from '../kernel/index.ts'

/** A span that has ended. Ids are hexadecimal: 32 digits of a trace, 16 of a span. */
export type Span = {
  trace: string
  id: string
  parent?: string | undefined
  name: string
  startMs: number
  endMs: number
  isServer?: boolean
  hasFailed?: boolean
  /** Ids, names and numbers of ours only: what a client or a provider wrote stays out. */
  attributes?: Record<string, string | number>
  links?: readonly SpanContext[]
}

export type SpanContext = { trace: string; id: string }

/** Reads the spans of something that has ended; undefined: not yet, ask again. */
type Job = () => Promise<Span[] | undefined>

export type Traces = {
  add(span: Span): void
  /** Runs the job at the next sending, and at a few more while it says not yet. */
  later(job: Job): void
  close(): Promise<void>
}

/** Beyond these, spans and jobs are dropped: a slow collector must not fill our memory. */
const SPANS_MAX = 5_000
const JOBS_MAX = 1_000
/** Jobs query the database, so a second has few of them. */
const JOBS_PER_ROUND = 20
const TRIES_MAX = 5
const SEND_MS = 1_000
const ANSWER_MS_MAX = 3_000

/** Sends spans to an OpenTelemetry collector as OTLP over HTTP, in JSON (docs/decisions/0075-traces.md). */
export function createTraces(options: {
  /** Base address of the collector, such as http://127.0.0.1:4318. */
  url: string
  role: string
  log: Log
  everyMs?: number
}): Traces {
  const { url, role, log, everyMs = SEND_MS } = options
  let spans: Span[] = []
  const jobs: { job: Job; tries: number }[] = []
  let isFailing = false
  const loop = createLoop({ name: 'http.traces', everyMs, log, work })
  loop.start()

  /** Returns 0, so that the next round comes with the next interval. */
  async function work(): Promise<number> {
    for (const { job, tries } of jobs.splice(0, JOBS_PER_ROUND)) {
      const made = await job().catch(() => [])
      if (made) spans.push(...made)
      else if (tries < TRIES_MAX) jobs.push({ job, tries: tries + 1 })
    }
    const batch = spans
    spans = []
    if (batch.length > 0) await send(batch)
    return 0
  }

  async function send(batch: readonly Span[]) {
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(otlpOf(batch, role)),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`the collector answered ${response.status}`)
      isFailing = false
    } catch (error) {
      // Once, not each second. The spans are gone: they matter less than our memory.
      if (!isFailing) log.warn('traces_not_sent', { count: batch.length, error })
      isFailing = true
    }
  }

  return {
    add(span) {
      if (spans.length < SPANS_MAX) spans.push(span)
    },
    later(job) {
      if (jobs.length < JOBS_MAX) jobs.push({ job, tries: 1 })
    },
    async close() {
      await loop.stop()
      await work()
    },
  }
}

/** The trace of an order is its id without dashes, which every process knows. */
export const traceOf = (uuid: string) => uuid.replaceAll('-', '')

/** The same span id wherever it is made, so that two processes that tell of one step tell of one span. */
export const spanIdOf = (...parts: string[]) =>
  createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 16)

function otlpOf(spans: readonly Span[], role: string) {
  const resource = { attributes: attributesOf({ 'service.name': 'ergon', 'ergon.role': role }) }
  const scopeSpans = [{ scope: { name: 'ergon' }, spans: spans.map(otlpSpan) }]
  return { resourceSpans: [{ resource, scopeSpans }] }
}

const [INTERNAL, SERVER, ERROR] = [1, 2, 2]

function otlpSpan(span: Span) {
  const { trace, id, parent, name, startMs, endMs, isServer, hasFailed } = span
  return {
    traceId: trace,
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    kind: isServer ? SERVER : INTERNAL,
    startTimeUnixNano: nanoseconds(startMs),
    // Block time and the clocks of machines differ a little; no span ends before it begins.
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributesOf(span.attributes ?? {}),
    links: (span.links ?? []).map((link) => ({ traceId: link.trace, spanId: link.id })),
    status: hasFailed ? { code: ERROR } : {},
  }
}

const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

/** A client may write its key where an id belongs, so texts are masked as in the log. */
function attributesOf(attributes: Record<string, string | number>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'number' ? { doubleValue: value } : { stringValue: withoutSecrets(value) },
  }))
}
