import { sign } from '@ergon/tron'
import type { Db, Lease } from '../db/index.ts'
import type { Doors, Log } from '../kernel/index.ts'
import {
  amountOf,
  insertAnswers,
  objectionTo,
  type PolicyContext,
  type WaitingRow,
  waitingRequests,
} from '../signing/index.ts'
import type { KeyRing } from './keyRing.ts'
import { isLimited, type SignedSums } from './signedSums.ts'

export type Signer = {
  db: Db
  doors: Doors
  log: Log
  ring: KeyRing
  sums: SignedSums
  /** Undefined where one process is all there is. */
  lease: Lease | undefined
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

/** Each one counts towards the limits before the next is judged. */
export function answer(signer: Pick<Signer, 'log' | 'ring' | 'sums'>, request: WaitingRow): Answer {
  const { log, ring, sums } = signer
  const { id, txid } = request
  const objection = judge(request, contextOf(ring, sums))
  const key = objection ? undefined : ring.keyFor(request)
  if (!key) {
    const reason = objection ?? 'no key for this owner'
    log.warn('signature_refused', { txid, reason })
    return { id, state: 'refused', reason }
  }
  if (isLimited(request.purpose)) sums.add(request.purpose, amountOf(request.raw))
  return { id, state: 'signed', signature: sign(txid, key) }
}

function contextOf({ stakes, hot, depositAddressAt }: KeyRing, sums: SignedSums): PolicyContext {
  return { stakes, hot, depositAddressAt, limits: sums.limits() }
}

/** Bytes that cannot be decoded are an objection like any other. */
function judge(request: WaitingRow, context: PolicyContext) {
  try {
    return objectionTo(request, context)
  } catch (error) {
    return `the bytes cannot be read: ${(error as Error).message}`
  }
}

/** Nothing is written once the lease is lost, to somebody else perhaps; what was signed is thrown away. */
async function write({ db, doors, lease }: Signer, answers: readonly Answer[]): Promise<void> {
  const written = await db.query(insertAnswers, [
    answers.map(({ id }) => id),
    answers.map(({ state }) => state),
    answers.map(({ signature }) => signature ?? null),
    answers.map(({ reason }) => reason ?? null),
    new Date(doors.clock.wallMs()),
    lease?.pid ?? null,
  ])
  if (written.length < answers.length) lease?.lose()
}
