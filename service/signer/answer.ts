import { sign } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { Doors, Log } from '../kernel/index.ts'
import {
  insertAnswer,
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

/** Answers what waits: a signature, or a refusal with its reason. Returns how many. */
export async function answerRequests(signer: Signer): Promise<number> {
  const { log, ring, hourly } = signer
  const waiting = await signer.db.query(waitingRequests, [BATCH])
  for (const request of waiting) {
    const objection = judge(request, contextOf(signer))
    const key = objection ? undefined : ring.keyFor(request)
    if (!key) {
      const reason = objection ?? 'no key for this owner'
      log.warn('signature_refused', { txid: request.txid, reason })
      await answer(signer, request.id, { state: 'refused', reason })
      continue
    }
    if (isLimited(request.purpose)) hourly[request.purpose].add(request.raw)
    await answer(signer, request.id, { state: 'signed', signature: sign(request.txid, key) })
  }
  return waiting.length
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

async function answer(
  { db, doors }: Signer,
  id: string,
  given: { state: 'signed' | 'refused'; signature?: string; reason?: string },
) {
  const { state, signature = null, reason = null } = given
  const at = new Date(doors.clock.wallMs())
  await db.query(insertAnswer, [id, state, signature, reason, at])
}
