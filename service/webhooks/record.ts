import { createApart, type Db } from '../db/index.ts'
import { type Clock, type Log, within } from '../kernel/index.ts'
import type { Outcome } from './attempt.ts'
import { jsonColumn, plainColumn } from './columns.ts'
import { reasonOf } from './reason.ts'
import { type RecordedRow, recordAttempts } from './record.sql.ts'

/**
 * Writes outcomes in batches: a single one at once, and those that arrive during a write or shortly
 * after it together. So an outcome is in the database milliseconds after the answer.
 */
export type Recorder = {
  add(outcome: Outcome): void
  /** Retries failed writes; resolves when nothing is left but what is put aside, or it failed again. */
  flush(): Promise<void>
  /** False while writes fail: then nothing new should be sent. */
  isHealthy(): boolean
  /** Outcomes are put aside and wait for their next try. */
  hasLater(): boolean
}

type Deps = {
  db: Db
  clock: Clock
  log: Log
  /** The outcomes are written. */
  onRecorded(outcomes: readonly Outcome[]): void
  /** The webhook is to be disabled. */
  onHopeless(webhook: string, reason: string): Promise<void>
}

const BATCH = 500
/** Pause between two writes, to make larger batches. */
const PAUSE_MS = 12
const MUCH = 400
/** Disabled after this long without a success, and at least so many failed attempts. */
const HOURS_FAILING = 72
const FAILURES_MIN = 20

const REASON_GONE = 'The receiver answered 410 Gone.'
const REASON_FAILING = `No delivery succeeded for ${HOURS_FAILING} hours.`

const idOf = ({ id }: Outcome) => id

/** The reason for the owner, with that of the webhook's last attempt. */
function failingReason(batch: readonly Outcome[], webhook: string): string {
  const last = batch.findLast((outcome) => outcome.webhook === webhook && outcome.error !== null)
  const why = last && reasonOf(last.error, last.responseStatus)
  return why ? `${REASON_FAILING} Last attempt: ${why}` : REASON_FAILING
}

export function createRecorder({ db, clock, log, onRecorded, onHopeless }: Deps): Recorder {
  let waiting: Outcome[] = []
  const outcomesApart = createApart(
    { db, clock, log },
    { loop: 'webhooks.deliver', kind: 'delivery' },
  )
  const webhooksApart = createApart(
    { db, clock, log },
    { loop: 'webhooks.deliver', kind: 'webhook' },
  )
  let writing: Promise<void> | undefined
  /** Outcomes that could not be written by themselves. */
  let later: Outcome[] = []
  let healthy = true
  let onMuch = () => {}

  function write(batch: readonly Outcome[]) {
    return db.query(recordAttempts, [
      plainColumn(batch.map((o) => o.id)),
      plainColumn(batch.map((o) => o.webhook)),
      plainColumn(batch.map((o) => o.state)),
      plainColumn(batch.map((o) => o.delaySeconds)),
      plainColumn(batch.map((o) => o.responseStatus)),
      batch.map((o) => o.error),
      clock.now(),
      HOURS_FAILING,
      jsonColumn(batch.map((o) => o.log)),
    ])
  }

  /** Webhooks to disable after this batch, with the reason for the owner. */
  function hopeless(batch: Outcome[], rows: RecordedRow[]): Map<string, string> {
    const long = rows.filter((row) => row.isLong && row.failures >= FAILURES_MIN)
    const gone = batch.filter((outcome) => outcome.gone)
    return new Map([
      ...long.map(({ id }) => [id, failingReason(batch, id)] as const),
      ...gone.map(({ webhook }) => [webhook, REASON_GONE] as const),
    ])
  }

  function untilMuch(): Promise<void> {
    return new Promise((resolve) => {
      onMuch = resolve
    })
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      const rows = (await outcomesApart.together(batch, idOf, write)).flat()
      const aside = new Set(outcomesApart.waiting())
      const written = batch.filter(({ id }) => !aside.has(id))
      // Those put aside stay in memory: an acknowledged delivery must not be sent again.
      later.push(...batch.filter(({ id }) => aside.has(id)))
      waiting = waiting.slice(batch.length)
      healthy = true
      await webhooksApart.each(
        [...hopeless(written, rows)],
        ([webhook]) => webhook,
        ([webhook, reason]) => onHopeless(webhook, reason),
      )
      onRecorded(written)
      if (waiting.length > 0 && waiting.length < MUCH)
        await within(PAUSE_MS, untilMuch(), undefined)
    }
  }

  function flush(): Promise<void> {
    writing ??= drain()
      .catch((error) => {
        // Keep the outcomes and retry: an acknowledged delivery must not be sent again.
        healthy = false
        log.error('webhook_outcomes_not_written', { count: waiting.length, error })
      })
      .finally(() => {
        writing = undefined
        // Outcomes that arrived while this write was ending.
        if (healthy && waiting.length > 0) void flush()
      })
    return writing
  }

  /** Puts outcomes whose next try is due back into the queue. */
  function retryLater() {
    if (later.length === 0) return
    const aside = new Set(outcomesApart.waiting())
    waiting.push(...later.filter(({ id }) => !aside.has(id)))
    later = later.filter(({ id }) => aside.has(id))
  }

  return {
    add(outcome) {
      waiting.push(outcome)
      if (waiting.length === MUCH) onMuch()
      if (healthy) void flush()
    },
    flush() {
      retryLater()
      return flush()
    },
    isHealthy: () => healthy,
    hasLater: () => later.length > 0,
  }
}
