import { APPROVAL_MS_MAX, approvalText, type PayoutFacts } from '@ergon/contract/approval.ts'
import { parseAddress, toBase58 } from '@ergon/tron'
import type { Addresses } from '../../addresses/index.ts'
import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import { operatorName } from '../../identity/index.ts'
import { formatTrx, type Runtime, type Sun, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Approval, Signing } from '../../signing/index.ts'
import { unverifiedCredit } from '../store.ts'
import { behindChain, minedFor, troubleWithApproval } from './approving.ts'
import {
  approvePayout,
  beginCancelling,
  cancelRequested,
  findPayout,
  insertPayout,
  listPayouts,
  lockPayout,
  type PayoutRow,
  tryPayoutAgain,
} from './store.ts'

/** Result of an operator's request; a refusal is a sentence for the operator. */
export type PayoutResponse = { id: string } | { refused: string }

/** An operator's approval, passed on to the signer, which verifies it with its own keys. */
export type Approver = { by: string; key: string; ends: Date }
/** `signed`: its attempts that the signer has signed. */
export type ListedPayout = PayoutRow & {
  approvals: Approver[]
  signed: { attempt: bigint; txid: string }[]
}

export type Payouts = {
  request(want: PayoutWish): Promise<PayoutResponse>
  /** The requester may approve too; the balance is charged only with another operator's approval. */
  approve(id: string, by: string, approval: Approval): Promise<PayoutResponse>
  /** Possible until it is signed. The amount returns when the signer has written the cancellation to its file. */
  cancel(id: string, by: string): Promise<PayoutResponse>
  find(id: string): Promise<ListedPayout | undefined>
  /** Newest first. */
  list(limit: number): Promise<ListedPayout[]>
  /**
   * The facts that every approval names besides the payout, and the expiry of an approval made now.
   * Undefined: no signer has published its hot wallet yet.
   */
  ground(): Promise<{ chain: string; hot: string; ends: Date } | undefined>
}

type Charge = { account: string; amount: bigint }
type PayoutWish = { account: string; to: string; amount: Sun; reason: string; by: string }

/** Below the signer's maximum, because its clock may be behind ours. */
const APPROVAL_MS = APPROVAL_MS_MAX - 3_600_000

type Deps = {
  db: Db
  runtime: Runtime
  addresses: Addresses
  ledger: Ledger
  signing: Signing
  chain(): Chain
}

/** One operator requests, another approves; the approval charges the client's balance. */
export function createPayouts(deps: Deps): Payouts {
  const { db, runtime, addresses, ledger, signing } = deps

  /** Why it cannot be paid: the balance is too low without unverified credit, or the signer would never sign it. */
  async function objectionTo(tx: Tx, { account, amount }: Charge): Promise<string | undefined> {
    const limit = await signing.payouts.limit(tx)
    if (limit !== undefined && amount > limit) {
      return `The signer pays out at most ${formatTrx(limit)} TRX within an hour. Ask for less, or raise SIGNER_HOURLY_PAYOUT_TRX_MAX.`
    }
    // Locked until the charge is booked: another payout must not count on the same TRX.
    const { balance, reserved, withheld, overdrawn } = await ledger.lockBalance(tx, account)
    const [unverified] = await tx.query(unverifiedCredit, [[account]])
    const free = overdrawn ? 0n : balance - reserved - withheld - (unverified?.amount ?? 0n)
    if (free >= amount) return undefined
    return `Only ${formatTrx(free > 0n ? free : 0n)} TRX of this account can be paid out now.`
  }

  async function ground() {
    const [hot] = await signing.addresses('hot')
    if (!hot) return undefined
    const ends = new Date(runtime.clock.now().getTime() + APPROVAL_MS)
    return { chain: await deps.chain().genesisId(), hot: toBase58(hot), ends }
  }

  function troubleWith(
    payout: PayoutRow,
    approval: Approval,
    { chain, hot }: { chain: string; hot: string },
  ): string | undefined {
    const text = approvalText({ ...factsOf(payout), chain, hot, ends: approval.ends })
    return troubleWithApproval(approval, { text, what: 'payout', now: runtime.clock.now() })
  }

  /** Charges the balance with the first approval by another operator, once. */
  async function accept(tx: Tx, payout: PayoutRow, by: string): Promise<PayoutResponse> {
    const { id, state } = payout
    if (state === 'approved') await tx.query(tryPayoutAgain, [id])
    if (state === 'approved' || by === payout.requestedBy) return { id }
    if (state === 'requested') {
      const objection = await objectionTo(tx, payout)
      if (objection) return { refused: objection }
    }
    await tx.query(approvePayout, [id, by, runtime.clock.now()])
    if (state === 'requested') await takeFromBalance(tx, payout)
    return { id }
  }

  async function takeFromBalance(tx: Tx, { id, account, to, amount }: PayoutRow) {
    await ledger.post(tx, [
      {
        client: account,
        kind: 'payout',
        reference: id,
        amount: sun(-amount),
        counter: 'asset:hot',
        description: `Payout to ${to}`,
        trace: id,
      },
    ])
  }

  async function withApprovals(rows: PayoutRow[]): Promise<ListedPayout[]> {
    const of = rows.map(({ id, attempt }) => ({ id, attempt: Number(attempt) }))
    const approvers = await signing.payouts.approvers(of)
    const signed = await signing.payouts.signed(rows.map(({ id }) => id))
    return rows.map((row) => {
      const own = approvers.filter(({ payout }) => payout === row.id)
      const approvals = own.map(({ by, key, endsAt }) => ({ by, key, ends: endsAt }))
      return { ...row, approvals, signed: signed.filter(({ payout }) => payout === row.id) }
    })
  }

  return {
    async request({ account, to, amount, reason, by }) {
      const address = parseAddress(to)
      if (!address) return { refused: 'That is not a TRON address.' }
      if (await addresses.isOurs(address)) {
        return { refused: 'That address is our own: nothing is paid out to ourselves.' }
      }
      if (amount <= 0n) return { refused: 'The amount is above zero.' }
      if (reason.trim().length < 3) return { refused: 'A payout needs a reason.' }
      if (!by.trim()) return { refused: 'A payout needs the name of who asks for it.' }
      const objection = await db.transaction((tx) => objectionTo(tx, { account, amount }))
      if (objection) return { refused: objection }
      const id = runtime.ids.next()
      const who = [account, toBase58(address), amount, reason.trim(), operatorName(by)]
      await db.query(insertPayout, [id, ...who, runtime.clock.now()])
      return { id }
    },

    async approve(id, by, approval) {
      if (!by.trim()) return { refused: 'An approval needs a name.' }
      const behind = await behindChain(deps.chain())
      if (behind) return { refused: behind }
      // Ask the node before locking the payout.
      const [now, mined] = await Promise.all([
        ground(),
        minedFor(id, { signing, chain: deps.chain() }),
      ])
      if (!now) return { refused: 'No signer has published its hot wallet yet; start one.' }
      const response = await db.transaction(async (tx): Promise<PayoutResponse> => {
        const [payout] = await tx.query(lockPayout, [id])
        if (!payout) return { refused: 'There is no payout with this id.' }
        if (!['requested', 'approved', 'expired'].includes(payout.state)) {
          return { refused: `It is ${payout.state}: there is nothing to approve.` }
        }
        if (mined) return { refused: `It is paid: transaction ${mined} is on the chain.` }
        const trouble = troubleWith(payout, approval, now)
        if (trouble) return { refused: trouble }
        const accepted = await accept(tx, payout, operatorName(by))
        if ('refused' in accepted) return accepted
        const attempt = { id, attempt: Number(payout.attempt) }
        const at = runtime.clock.now()
        await signing.payouts.approve(tx, attempt, { approval, by: operatorName(by), at })
        return accepted
      })
      return response
    },

    async cancel(id, by) {
      if (!by.trim()) return { refused: 'A cancellation needs a name.' }
      // It may be on the chain.
      const behind = await behindChain(deps.chain())
      if (behind) return { refused: behind }
      const response = await db.transaction(async (tx): Promise<PayoutResponse> => {
        const [payout] = await tx.query(lockPayout, [id])
        if (!payout) return { refused: 'There is no payout with this id.' }
        const refused = await tooLate(payout)
        if (refused) return { refused }
        const at = runtime.clock.now()
        const next = payout.state === 'requested' ? cancelRequested : beginCancelling
        await tx.query(next, [id, operatorName(by), at])
        await signing.payouts.cancel(tx, id, at)
        return { id }
      })
      signing.wake()
      return response
    },

    find: async (id) => (await withApprovals(await db.query(findPayout, [id])))[0],
    list: async (limit) => withApprovals(await db.query(listPayouts, [limit])),
    ground,
  }

  async function tooLate({ state, signingRequest }: PayoutRow): Promise<string | undefined> {
    if (!['requested', 'approved', 'expired'].includes(state)) return `It is ${state} already.`
    const [answer] = signingRequest ? await signing.answers([signingRequest]) : []
    return answer?.state === 'signed'
      ? 'It is signed and may be on the chain; cancel it when its bytes have expired.'
      : undefined
  }
}

/** The facts of an approval of this payout, except chain, hot wallet and expiry. */
export function factsOf(row: PayoutRow): Omit<PayoutFacts, 'chain' | 'hot' | 'ends'> {
  return { payout: row.id, attempt: Number(row.attempt), amountSun: row.amount, to: row.to }
}
