import { toHex } from '@ergon/tron'
import type { Chain, Ground } from '../../chain/index.ts'
import { type Claim, createApart, type Db, type Tx } from '../../db/index.ts'
import { type Log, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Signing } from '../../signing/index.ts'
import { createOutgoing, type Fate } from '../outgoing.ts'
import {
  type CancellingPayout,
  cancellingPayouts,
  type DuePayout,
  dropPayoutBytes,
  endCancelling,
  expirePayout,
  lockDuePayouts,
  type OpenPayout,
  openPayouts,
  payPayout,
  setPayoutBytes,
} from './store.ts'

const BATCH = 20
const LIFE_MS = 120_000
const AGAIN_AFTER_MS = 3_600_000

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  ledger: Ledger
  signing: Signing
}

/** Sends approved payouts. After expired bytes a payout needs new approvals and an hour's wait. */
export function createPaying(deps: Deps) {
  const { db, runtime, log, chain, ledger, signing } = deps
  const outgoing = createOutgoing(deps)
  const of = { loop: 'deposits.finish', kind: 'payout' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function askForDue(): Promise<number> {
    const [hot] = await signing.addresses('hot')
    const ground = hot && (await chain.ground(LIFE_MS))
    if (!ground) return 0
    const askSome = ({ most, skip, took }: Claim) =>
      db.transaction(async (tx) => {
        const due = await tx.query(lockDuePayouts, [runtime.clock.now(), most, skip])
        took(due.map(({ id }) => id))
        for (const payout of due) await ask(tx, payout, { hot, ground })
        return due.length
      })
    const asked = (await apart.claim(BATCH, askSome)).reduce((sum, count) => sum + count, 0)
    if (asked > 0) signing.wake()
    return asked
  }

  async function ask(
    tx: Tx,
    { id, attempt, to, amount }: DuePayout,
    { hot, ground }: { hot: string; ground: Ground },
  ) {
    const value = { owner_address: hot, to_address: toHex(to), amount }
    const contract = { type: 'TransferContract' as const, value }
    const payout = { id, attempt: Number(attempt) }
    const want = { purpose: 'payout' as const, contract, ground, lifeMs: LIFE_MS, payout }
    const asked = await signing.ask(tx, want)
    const again = new Date(runtime.clock.now().getTime() + AGAIN_AFTER_MS)
    await tx.query(setPayoutBytes, [id, asked.txid, asked.id, again])
  }

  async function conclude(): Promise<number> {
    const open = await db.query(openPayouts, [BATCH, apart.waiting()])
    const fates = open.length > 0 ? await outgoing.fatesOf(open) : []
    const ended = await apart.each(
      fates,
      (one) => one.of.id,
      async (one) => {
        const fate = await one.fate()
        return fate.state !== 'waiting' && db.transaction((tx) => end(tx, one.of, fate))
      },
    )
    return ended.filter(Boolean).length
  }

  async function end(tx: Tx, { id, txid }: OpenPayout, fate: Exclude<Fate, { state: 'waiting' }>) {
    if (fate.state === 'solid') return paid(tx, { id, txid, fee: fate.fee })
    const reason = fate.state === 'refused' ? fate.reason : 'its bytes expired'
    log.warn('payout_not_done', { txid, reason })
    if (fate.state === 'refused') {
      return (await tx.query(dropPayoutBytes, [id, txid, reason])).length > 0
    }
    const after = new Date(runtime.clock.now().getTime() + AGAIN_AFTER_MS)
    return (await tx.query(expirePayout, [id, txid, reason, after])).length > 0
  }

  async function paid(tx: Tx, { id, txid, fee }: { id: string; txid: string; fee: bigint }) {
    const [row] = await tx.query(payPayout, [id, txid, fee])
    if (!row || fee === 0n) return row !== undefined
    await ledger.transfer(tx, [
      {
        kind: 'network_fee',
        reference: txid,
        from: 'cost:network',
        to: 'asset:hot',
        amount: sun(fee),
        description: 'Network fee of a payout',
      },
    ])
    return true
  }

  /** Refunds a cancelled payout once no transaction of it can be mined and the signer has recorded the cancellation. */
  async function endCancelled(): Promise<number> {
    const cancelling = await db.query(cancellingPayouts, [BATCH, apart.waiting()])
    const recorded = await signing.payouts.cancelled(cancelling.map(({ id }) => id))
    const ending = cancelling.filter(({ id }) => recorded.has(id))
    const ended = await apart.each(
      ending,
      ({ id }) => id,
      (payout) => db.transaction((tx) => giveBack(tx, payout)),
    )
    return ended.length
  }

  async function giveBack(tx: Tx, { id, account, to, amount }: CancellingPayout) {
    const [row] = await tx.query(endCancelling, [id])
    if (!row) return
    await ledger.post(tx, [
      {
        client: account,
        kind: 'payout_reversal',
        reference: id,
        amount: sun(amount),
        counter: 'asset:hot',
        description: `Payout to ${to} cancelled`,
        trace: id,
      },
    ])
  }

  return { pay: async () => (await conclude()) + (await endCancelled()) + (await askForDue()) }
}
