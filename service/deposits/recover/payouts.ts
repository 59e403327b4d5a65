import { toBase58 } from '@ergon/tron'
import type { Db, Tx } from '../../db/index.ts'
import { operatorName } from '../../identity/index.ts'
import { formatTrx, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Signing } from '../../signing/index.ts'
import type { Paid } from './feeReader.ts'
import {
  type CandidateRow,
  insertRecoveredPayout,
  lockCandidate,
  payoutCandidates,
  payRecovered,
} from './store.ts'

const BY = 'recovery'

type Deps = { db: Db; runtime: Runtime; ledger: Ledger; signing: Signing }
type Attached = { id: string } | { refused: string }

/** Transfers of the hot wallet to others. A payout that the chain has paid must never be paid again. */
export function createPayoutRecovery({ db, runtime, ledger, signing }: Deps) {
  async function takeFromBalance(
    tx: Tx,
    { id, account, to, amount }: { id: string; account: string; to: string; amount: bigint },
  ): Promise<string | undefined> {
    const { balance, reserved, withheld, overdrawn } = await ledger.lockBalance(tx, account)
    const free = overdrawn ? 0n : balance - reserved - withheld
    if (free < amount) {
      return `payout ${id} of ${formatTrx(amount)} TRX, and account ${account} has ${formatTrx(free)} TRX: adjust it first`
    }
    const description = `Payout to ${to}`
    const posting = {
      client: account,
      kind: 'payout',
      reference: id,
      amount: sun(-amount),
    } as const
    await ledger.post(tx, [{ ...posting, counter: 'asset:hot', description, trace: id }])
    return undefined
  }

  async function bookFee(tx: Tx, { txid, fee }: Paid) {
    if (fee === 0n) return
    const description = 'Network fee of a payout'
    const move = {
      kind: 'network_fee',
      reference: txid,
      from: 'cost:network',
      to: 'asset:hot',
    } as const
    await ledger.transfer(tx, [{ ...move, amount: sun(fee), description }])
  }

  /** Claims the finding; false when another run has booked it. */
  async function claim(tx: Tx, { txid }: Paid, id: string, attempt: bigint): Promise<boolean> {
    const payout = { id, attempt: Number(attempt) }
    return (await signing.recovery.book(tx, [{ txid, as: `payout ${id}`, payout }])).size > 0
  }

  /** The payout is paid by this transfer. Refused: nothing was booked. */
  async function pay(paid: Paid, id: string): Promise<Attached> {
    const refusal: { why?: string } = {}
    await db
      .transaction(async (tx) => {
        const [payout] = await tx.query(lockCandidate, [id])
        const trouble = payout ? troubleWith(payout, paid) : 'there is no payout with this id'
        if (!payout || trouble) return refuse(refusal, trouble!)
        if (!(await claim(tx, paid, id, payout.attempt)))
          return refuse(refusal, 'it was booked meanwhile')
        if (payout.state === 'paid') return
        const now = runtime.clock.now()
        await tx.query(payRecovered, [id, paid.txid, paid.fee, now, BY])
        if (payout.state === 'requested') {
          const short = await takeFromBalance(tx, payout)
          if (short) refuse(refusal, short)
        }
        await bookFee(tx, paid)
      })
      .catch((error: unknown) => {
        if (!refusal.why) throw error
      })
    return refusal.why ? { refused: refusal.why } : { id }
  }

  /** A payout whose request is lost: a person says whose money it was. */
  async function insert(
    paid: Paid,
    { account, id = runtime.ids.next() }: { account: string; id?: string },
    by: string,
  ): Promise<Attached> {
    const refusal: { why?: string } = {}
    const to = toBase58(paid.to!)
    await db
      .transaction(async (tx) => {
        if (!(await claim(tx, paid, id, 1n))) return refuse(refusal, 'it was booked meanwhile')
        const now = runtime.clock.now()
        const reason = 'Found on the chain by recovery'
        const who = [account, to, paid.amount, reason, operatorName(by), now, BY]
        await tx.query(insertRecoveredPayout, [id, ...who, paid.txid, paid.fee])
        const short = await takeFromBalance(tx, { id, account, to, amount: paid.amount })
        if (short) refuse(refusal, short)
        await bookFee(tx, paid)
      })
      .catch((error: unknown) => {
        if (!refusal.why) throw error
      })
    return refusal.why ? { refused: refusal.why } : { id }
  }

  return {
    /** Returns why each of the others needs a person. */
    async book(found: Paid[], told: Map<string, string>): Promise<Map<string, string>> {
      const undecided = new Map<string, string>()
      for (const paid of found) {
        const candidates = await db.query(payoutCandidates, [
          paid.txid,
          toBase58(paid.to!),
          paid.amount,
          paid.minedAt,
        ])
        const chosen = choose(paid, candidates)
        const attached = 'why' in chosen ? { refused: chosen.why } : await pay(paid, chosen.id)
        if ('refused' in attached) undecided.set(paid.txid, attached.refused)
        else told.set(paid.txid, `payout ${attached.id}`)
      }
      return undecided
    },
    attach: (paid: Paid, to: { payout: string } | { account: string; id?: string }, by: string) =>
      'payout' in to ? pay(paid, to.payout) : insert(paid, to, by),
  }
}

/** Thrown in a transaction, so that nothing of it is kept. */
function refuse(refusal: { why?: string }, why: string): never {
  refusal.why = why
  throw new Error(why)
}

function troubleWith(
  { id, state, to, amount, txid }: CandidateRow,
  paid: Paid,
): string | undefined {
  if (state === 'paid' && txid === paid.txid) return undefined
  if (['paid', 'cancelled'].includes(state)) return `payout ${id} is ${state} already`
  const isSame = to === toBase58(paid.to!) && amount === paid.amount
  return isSame ? undefined : `payout ${id} is of ${formatTrx(amount)} TRX to ${to}`
}

/**
 * By the transaction, or the only one of this destination and amount. One that these books have not
 * approved is for a person: somebody may have asked for the same twice.
 */
function choose(paid: Paid, candidates: CandidateRow[]): { id: string } | { why: string } {
  const exact = candidates.find(({ txid }) => txid === paid.txid)
  if (exact) return exact
  const [first, second] = candidates
  const what = `${formatTrx(paid.amount)} TRX to ${toBase58(paid.to!)}`
  if (!first) return { why: `${what}: no payout in the books is of that` }
  if (second) return { why: `${what}: payouts ${candidates.map(({ id }) => id).join(', ')} fit` }
  return first.state === 'requested'
    ? { why: `${what}: payout ${first.id} fits, and nobody has approved it in these books` }
    : first
}
