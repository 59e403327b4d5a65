import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'

// A client that records everything. Every purchase has a key and is retried with it until it is
// answered; an acknowledged one is written to a file before it is counted. Later reads must agree
// with the acknowledgement.

export type WitnessOptions = {
  apis: string[]
  keys: string[]
  receivers: string[]
  file: string
  energy: number
}
export type Tally = {
  acknowledged: number
  /** Purchases, reads and replays that were answered 2xx. */
  answers: number
  refusals: number
  /** Answers to purchases by status and body; "no answer" where the connection was lost or nothing came in time. */
  seen: Record<string, number>
  violations: string[]
}
export type Verdict = { completed: number; failed: number; open: number; violations: string[] }
type Line = { key: string; account: number; receiver: number; text: string }

const PATIENCE_MS = 6_000
const VIOLATIONS_MAX = 20
const FINAL = /"status":"(COMPLETED|FAILED)"/
/** The outcome is not known yet: retry with the same key. */
const isUndecided = (status: number) => status >= 500 || status === 409 || status === 429

export function createWitness({ apis, keys, receivers, file, energy }: WitnessOptions) {
  const pools = apis.map((url) => new Pool(url, { connections: 128, headersTimeout: PATIENCE_MS }))
  const descriptor = openSync(file, 'a')
  const remembered: Line[] = []
  const finals = new Map<string, string>()
  const tally: Tally = { acknowledged: 0, answers: 0, refusals: 0, seen: {}, violations: [] }
  let turn = 0
  let rate = 0
  let readers = 0
  let inFlight = 0
  let readersRunning = 0

  function blame(sentence: string) {
    if (tally.violations.length < VIOLATIONS_MAX) tally.violations.push(sentence)
  }

  async function ask(path: string, account: number, buying?: { key: string; receiver: number }) {
    turn += 1
    const pool = pools[turn % pools.length]!
    const headers: Record<string, string> = { 'x-api-key': keys[account]! }
    if (buying) headers['idempotency-key'] = buying.key
    try {
      const {
        statusCode,
        headers: responseHeaders,
        body,
      } = await pool.request({
        path,
        method: buying ? 'POST' : 'GET',
        headers,
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(buying && {
          body: JSON.stringify({
            receiver_address: receivers[buying.receiver],
            resource_amount: energy,
          }),
        }),
      })
      const text = await body.text()
      if (statusCode === 200) tally.answers += 1
      else if (isUndecided(statusCode)) tally.refusals += 1
      return {
        status: statusCode,
        text,
        isReplay: responseHeaders['idempotency-replayed'] === 'true',
      }
    } catch {
      tally.refusals += 1
      return { status: 599, text: '', isReplay: false }
    }
  }

  async function buy(number: number) {
    const account = number % keys.length
    const receiver = number % receivers.length
    const key = `w-${number}`
    for (;;) {
      const { status, text } = await ask('/v1/buy', account, { key, receiver })
      const answer = status === 599 ? 'no answer' : status === 200 ? '200' : `${status} ${text}`
      tally.seen[answer] = (tally.seen[answer] ?? 0) + 1
      if (status === 200) {
        const line: Line = { key, account, receiver, text }
        writeSync(descriptor, `${JSON.stringify(line)}\n`)
        remembered.push(line)
        tally.acknowledged += 1
        return
      }
      if (!isUndecided(status)) return blame(`${key} was answered ${status} ${text}`)
      await pause(100 + (number % 7) * 30)
    }
  }

  /** Checks an earlier acknowledged purchase: a replay, its order, or the account. */
  async function look(number: number) {
    const line =
      remembered[Math.floor((number * 0.618033988749895 * remembered.length) % remembered.length)]
    if (!line) return pause(20)
    const { key, account, receiver } = line
    if (number % 3 === 0) {
      const { status, text } = await ask('/v1/buy', account, { key, receiver })
      if (status === 200 && text !== line.text) blame(`${key} replayed as ${text}`)
      else if (status !== 200 && !isUndecided(status)) blame(`${key} replayed as ${status} ${text}`)
      if (status !== 200) await pause(50)
      return
    }
    const id = JSON.parse(line.text).order_id as string
    const { status, text } = await ask(`/v1/order/${id}`, account)
    if (status !== 200) {
      if (!isUndecided(status)) blame(`order ${id} of ${key} was answered ${status} ${text}`)
      return pause(50)
    }
    const before = finals.get(id)
    if (before !== undefined && before !== text)
      blame(`final order ${id} was ${before}, is ${text}`)
    if (FINAL.test(text)) finals.set(id, text)
  }

  async function read(reader: number) {
    readersRunning += 1
    for (let number = reader; reader < readers; number += 101) await look(number)
    readersRunning -= 1
  }

  let begun = 0
  let owed = 0
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    owed = Math.min(owed + ((nowMs - lastMs) / 1000) * rate, rate)
    lastMs = nowMs
    for (; owed >= 1 && inFlight < 400; owed--) {
      inFlight += 1
      void buy(begun++).finally(() => {
        inFlight -= 1
      })
    }
  }, 10)

  return {
    tally,
    load(perSecond: number, wantedReaders: number) {
      rate = perSecond
      const before = readers
      readers = wantedReaders
      for (let reader = before; reader < readers; reader++) void read(reader)
    },
    /** Starts nothing more, and waits until every request has its answer. */
    async rest() {
      rate = 0
      readers = 0
      while (inFlight > 0 || readersRunning > 0) await pause(20)
    },
    /**
     * Checks by the file alone: each purchase exists with the same bytes, and its order is final.
     */
    async verify(): Promise<Verdict> {
      const lines = readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as Line)
      const verdict: Verdict = { completed: 0, failed: 0, open: 0, violations: [] }
      const work = async () => {
        for (let line = lines.shift(); line; line = lines.shift()) {
          const { key, account, receiver, text } = line
          const again = await ask('/v1/buy', account, { key, receiver })
          if (again.status !== 200 || again.text !== text || !again.isReplay) {
            verdict.violations.push(`${key}: ${text} is now ${again.status} ${again.text}`)
          }
          const { text: order } = await ask(`/v1/order/${JSON.parse(text).order_id}`, account)
          const [, status] = FINAL.exec(order) ?? []
          if (status === 'COMPLETED') verdict.completed += 1
          else if (status === 'FAILED') verdict.failed += 1
          else verdict.open += 1
        }
      }
      await Promise.all(Array.from({ length: 32 }, work))
      return verdict
    },
    async close() {
      clearInterval(timer)
      await Promise.all(pools.map((pool) => pool.destroy()))
      closeSync(descriptor)
    },
  }
}
