import type { NodeClient } from '@ergon/tron'
import { type Claim, createApart, type Db, type Tx } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import {
  type BroadcastRow,
  type BroadcastState,
  claimBroadcasts,
  countUnbroadcast,
  insertBroadcast,
  readBroadcasts,
  recordAnswers,
} from './broadcast.sql.ts'
import { BROADCASTS_TO_SEND } from './due.sql.ts'

export type SignedTransaction = { txid: string; bytes: Uint8Array; expiresAt: Date }

export type Broadcasts = {
  states(txids: string[]): Promise<BroadcastState[]>
  /** Sent several times and in no block; `soonest` is when the first of them expires. */
  stuck(): Promise<{ count: bigint; soonest: Date | null }>
  loop: Loop
}

const BATCH = 100
/** Interval between broadcasts of the same bytes: the first may never have left the node. */
const RESEND_MS = 3_000
const ANSWER_LENGTH_MAX = 300

/**
 * Sends signed bytes until a block holds them or they expire. A node's answer proves nothing about
 * inclusion: an "accepted" transaction may be lost, "duplicate" may mean success. Only blocks count.
 */
export function createBroadcasts(deps: {
  db: Db
  node: NodeClient
  clock: Clock
  log: Log
  /** Takes signed transactions from the signer, in the given transaction. */
  takeSigned(tx: Tx, claim: Claim): Promise<SignedTransaction[]>
  /** SQL condition that holds while there may be something to hand over. */
  signedDue: string
}): Broadcasts {
  const { db, node, clock, log, takeSigned } = deps
  const apartOf = (kind: string) => createApart(deps, { loop: 'chain.broadcast', kind })
  const requestsApart = apartOf('request')
  const sendingApart = apartOf('transaction')
  const answersApart = apartOf('answer')

  async function takeOver(claim: Claim): Promise<number> {
    return db.transaction(async (tx) => {
      const signed = await takeSigned(tx, claim)
      if (signed.length === 0) return 0
      await tx.query(insertBroadcast, [
        signed.map((one) => one.txid),
        signed.map((one) => Buffer.from(one.bytes)),
        signed.map((one) => one.expiresAt),
      ])
      return signed.length
    })
  }

  async function send({ txid, bytes }: BroadcastRow): Promise<string> {
    const result = await node.broadcast(bytes)
    if (result.accepted === true) return 'accepted'
    if (result.accepted === 'unknown') return `unknown: ${result.trouble.kind}`
    const answer = `${result.code}: ${result.message}`.slice(0, ANSWER_LENGTH_MAX)
    log.warn('broadcast_refused', { txid, reason: answer })
    return answer
  }

  /** Broadcasts in parallel. The node's answers are stored for operators and decide nothing. */
  async function sendDue(): Promise<number> {
    const due = await db.query(claimBroadcasts, [RESEND_MS, BATCH, clock.now()])
    if (due.length === 0) return 0
    const answers = await Promise.all(
      due.map(async (row) => {
        const answer = await sendingApart.alone(row.txid, () => send(row))
        return answer === undefined ? [] : [{ txid: row.txid, answer }]
      }),
    )
    await answersApart.together(
      answers.flat(),
      ({ txid }) => txid,
      (some) =>
        db.query(recordAnswers, [some.map(({ txid }) => txid), some.map(({ answer }) => answer)]),
    )
    return due.length
  }

  return {
    states: (txids) => db.query(readBroadcasts, [txids]),
    stuck: async () => (await db.query(countUnbroadcast))[0]!,
    loop: createLoop({
      name: 'chain.broadcast',
      everyMs: 250,
      due: `(${BROADCASTS_TO_SEND} or ${deps.signedDue})`,
      log,
      async work() {
        const taken = await requestsApart.claim(BATCH, takeOver)
        return taken.reduce((sum, count) => sum + count, await sendDue())
      },
    }),
  }
}
