import { decodeRaw, sign } from '@ergon/tron'
import type { Apart, Db, Lease } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import {
  amountOf,
  insertAnswers,
  isTimed,
  needsApproval,
  objectionTo,
  type PolicyContext,
  paymentOf,
  type WaitingRow,
  waitingRequests,
} from '../signing/index.ts'
import type { createDesks, Desk } from './desk.ts'
import type { createGate } from './gate.ts'
import type { KeyRing } from './keyRing.ts'
import { isLimited, type SignedSums } from './signedSums.ts'

export type Signer = {
  db: Db
  runtime: Runtime
  log: Log
  ring: KeyRing
  sums: SignedSums
  /** Undefined only in tests. */
  lease: Lease | undefined
  desks: ReturnType<typeof createDesks>
  gate: ReturnType<typeof createGate>
  /** For judging requests, and for writing their answers. */
  aparts: { requests: Apart; answers: Apart }
}

const BATCH = 100
const MOST = { max: 2n ** 63n, signed: 0n }
const UNLIMITED = { hour: MOST, day: MOST }

type Answer = { id: string; state: 'signed' | 'refused'; signature?: string; reason?: string }

/** Answers waiting requests with a signature or a refusal, and returns their number. */
export async function answerRequests(signer: Signer): Promise<number> {
  if (!(await signer.gate.isOpen())) return 0
  const cancelled = await signer.desks.recordCancellations()
  const { requests, answers: writing } = signer.aparts
  const skip = [...requests.waiting(), ...writing.waiting()]
  const waiting = await signer.db.query(waitingRequests, [BATCH, skip])
  if (waiting.length === 0) return cancelled
  const desk = await signer.desks.open(waiting)
  const given = await requests.each(
    waiting,
    ({ id }) => id,
    (request) => answer(signer, request, desk),
  )
  const answers = given.filter((one) => one !== undefined)
  const written = await writing.together(
    answers,
    ({ id }) => id,
    (some) => write(signer, some),
  )
  return written.reduce((sum, count) => sum + count, cancelled)
}

type Judge = Pick<Signer, 'log' | 'ring' | 'sums'>

/** Answers one request; it counts towards the limits before the next is judged. Undefined: retry later. */
export async function answer(
  signer: Judge,
  request: WaitingRow,
  desk: Desk,
): Promise<Answer | undefined> {
  const { log, ring } = signer
  const { id, txid } = request
  const isApproved = needsApproval(request.purpose)
  const isKnown = isApproved && desk.knows(request)
  const objection = judge(signer, request, { desk, isKnown })
  const key = objection ? undefined : ring.keyFor(request)
  if (!key) {
    const reason = objection ?? 'no key for this owner'
    log.warn('signature_refused', { txid, reason })
    return { id, state: 'refused', reason }
  }
  if (isApproved && !isKnown && !(await desk.record(request))) return undefined
  count(signer.sums, request)
  return { id, state: 'signed', signature: sign(txid, key) }
}

function count(sums: SignedSums, { purpose, raw }: WaitingRow) {
  if (isLimited(purpose)) sums.add(purpose, amountOf(raw))
  if (isTimed(purpose)) sums.addTime(purpose, decodeRaw(raw).contract.value.owner_address)
  if (purpose !== 'treasury') return
  const { to, amount } = paymentOf(raw)!
  sums.addTreasury(to, amount)
}

/**
 * The objection to a request; bytes that cannot be decoded are one too. Known bytes have been within the
 * limits and approved.
 */
function judge(
  { ring, sums }: Judge,
  request: WaitingRow,
  { desk, isKnown }: { desk: Desk; isKnown: boolean },
): string | undefined {
  const { stakes, hot, depositAddressAt } = ring
  const treasury = desk.treasury(sums)
  const context: PolicyContext = {
    stakes,
    hot,
    depositAddressAt,
    limits: isKnown
      ? { ...sums.limits(), payout: UNLIMITED, freeze: UNLIMITED, unfreeze: UNLIMITED }
      : sums.limits(),
    treasury,
    witnesses: desk.witnesses(),
    times: sums.times,
  }
  try {
    const objection = objectionTo(request, context)
    const isJudged = !needsApproval(request.purpose) || isKnown
    return objection ?? (isJudged ? undefined : desk.objectionTo(request))
  } catch (error) {
    return `the bytes cannot be read: ${(error as Error).message}`
  }
}

/** Writes answers only with the lease; without it the signatures are discarded. */
async function write({ db, runtime, lease }: Signer, answers: readonly Answer[]): Promise<number> {
  const written = await db.query(insertAnswers, [
    answers.map(({ id }) => id),
    answers.map(({ state }) => state),
    answers.map(({ signature }) => signature ?? null),
    answers.map(({ reason }) => reason ?? null),
    new Date(runtime.clock.wallMs()),
    lease?.pid ?? null,
  ])
  if (written.length < answers.length) lease?.lose()
  return answers.length
}
