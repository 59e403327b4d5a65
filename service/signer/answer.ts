import { sign } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { Doors, Log } from '../kernel/index.ts'
import {
  insertAnswers,
  objectionTo,
  type PolicyContext,
  type WaitingRow,
  waitingRequests,
} from '../signing/index.ts'
import type { HourlySum } from './hourlySum.ts'
import type { KeyRing } from './keyRing.ts'

export type Signer = {
  db: Db
  doors: Doors
  log: Log
  ring: KeyRing
  hourly: { delegate: HourlySum; sweep: HourlySum; payout: HourlySum }
}

const BATCH = 100

type Answer = { id: string; state: 'signed' | 'refused'; signature?: string; reason?: string }

/** Answers what waits: a signature, or a refusal with its reason. Returns how many. */
export async function answerRequests(signer: Signer): Promise<number> {
  const waiting = await signer.db.query(waitingRequests, [BATCH])
  if (waiting.length === 0) return 0
  await write(
    signer,
    waiting.map((request) => answer(signer, request)),
  )
  return waiting.length
}

/** Each one counts towards the hour's limit before the next is judged. */
function answer(signer: Signer, request: WaitingRow): Answer {
  const { log, ring, hourly } = signer
  const { id, txid } = request
  const objection = judge(request, contextOf(signer))
  const key = objection ? undefined : ring.keyFor(request)
  if (!key) {
    const reason = objection ?? 'no key for this owner'
    log.warn('signature_refused', { txid, reason })
    return { id, state: 'refused', reason }
  }
  if (isLimited(request.purpose)) hourly[request.purpose].add(request.raw)
  return { id, state: 'signed', signature: sign(txid, key) }
}

function contextOf({ ring, hourly }: Signer): PolicyContext {
  const limits = {
    delegate: hourly.delegate.limit(),
    sweep: hourly.sweep.limit(),
    payout: hourly.payout.limit(),
  }
  return { stakes: ring.stakes, hot: ring.hot, depositAddressAt: ring.depositAddressAt, limits }
}

/** Bytes that cannot be decoded are an objection like any other. */
function judge(request: WaitingRow, context: PolicyContext) {
  try {
    return objectionTo(request, context)
  } catch (error) {
    return `the bytes cannot be read: ${(error as Error).message}`
  }
}

/** Reclaims bring stake home and have no limit. */
function isLimited(purpose: string): purpose is keyof Signer['hourly'] {
  return purpose === 'delegate' || purpose === 'sweep' || purpose === 'payout'
}

async function write({ db, doors }: Signer, answers: readonly Answer[]): Promise<void> {
  await db.query(insertAnswers, [
    answers.map(({ id }) => id),
    answers.map(({ state }) => state),
    answers.map(({ signature }) => signature ?? null),
    answers.map(({ reason }) => reason ?? null),
    new Date(doors.clock.wallMs()),
  ])
}
