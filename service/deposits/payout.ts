import { parseAddress, toBase58, toHex } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain, Ground } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { type Doors, formatTrx, type Log, type Sun, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import { createOutgoing, type Fate } from './outgoing.ts'
import {
  approvePayout,
  type DuePayout,
  dropPayoutBytes,
  findPayout,
  insertPayout,
  listPayouts,
  lockDuePayouts,
  lockPayout,
  type OpenPayout,
  openPayouts,
  type PayoutRow,
  payPayout,
  setPayoutBytes,
} from './payouts/store.ts'
import { unverifiedCredit } from './store.ts'

/** What an operator's word leads to; a refusal is a sentence for that operator. */
export type Said = { id: string } | { refused: string }

export type Payouts = {
  request(want: PayoutWish): Promise<Said>
  approve(id: string, by: string): Promise<Said>
  find(id: string): Promise<PayoutRow | undefined>
  /** Newest first. */
  list(limit: number): Promise<PayoutRow[]>
}

type PayoutWish = { account: string; to: string; amount: Sun; reason: string; by: string }

const BATCH = 20
const LIFE_MS = 120_000
const AGAIN_AFTER_MS = 3_600_000

/** One person asks, another one approves; with the approval the money is off the client's balance. */
export function createPayouts(deps: {
  db: Db
  doors: Doors
  addresses: Addresses
  ledger: Ledger
}): Payouts {
  const { db, doors, addresses, ledger } = deps

  /** Credit that a reorganisation may still take back does not leave the house. */
  async function shortOf(account: string, amount: bigint): Promise<string | undefined> {
    const { spendable } = await ledger.balanceOf(account)
    const [unverified] = await db.query(unverifiedCredit, [[account]])
    const free = spendable - (unverified?.amount ?? 0n)
    if (free >= amount) return undefined
    return `Only ${formatTrx(free > 0n ? free : 0n)} TRX of this account can be paid out now.`
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
      const short = await shortOf(account, amount)
      if (short) return { refused: short }
      const id = doors.ids.next()
      const who = [account, toBase58(address), amount, reason.trim(), nameOf(by)]
      await db.query(insertPayout, [id, ...who, doors.clock.now()])
      return { id }
    },

    approve: (id, by) =>
      db.transaction(async (tx) => {
        const [payout] = await tx.query(lockPayout, [id])
        if (!payout) return { refused: 'There is no payout with this id.' }
        if (payout.state !== 'requested') return { refused: 'It has been approved already.' }
        if (!by.trim()) return { refused: 'An approval needs a name.' }
        if (nameOf(by) === payout.requestedBy) {
          return { refused: 'Somebody else than who asked for it approves a payout.' }
        }
        const short = await shortOf(payout.account, payout.amount)
        if (short) return { refused: short }
        await tx.query(approvePayout, [id, nameOf(by), doors.clock.now()])
        await ledger.post(tx, [
          {
            client: payout.account,
            kind: 'payout',
            reference: id,
            amount: sun(-payout.amount),
            counter: 'asset:hot',
            description: `Payout to ${payout.to}`,
            trace: id,
          },
        ])
        return { id }
      }),

    find: async (id) => (await db.query(findPayout, [id]))[0],
    list: (limit) => db.query(listPayouts, [limit]),
  }
}

/** Ann and ann are one person. */
function nameOf(by: string): string {
  return by.trim().toLowerCase()
}

/** Sends approved payouts. New bytes are made only when the old ones can never be mined any more. */
export function createPaying(deps: {
  db: Db
  doors: Doors
  log: Log
  chain: Chain
  ledger: Ledger
  signing: Signing
}) {
  const { db, doors, log, chain, ledger, signing } = deps
  const outgoing = createOutgoing(deps)

  async function askForDue(): Promise<number> {
    const [hot] = await signing.addresses('hot')
    const ground = hot && (await chain.ground(LIFE_MS))
    if (!ground) return 0
    const asked = await db.transaction(async (tx) => {
      const due = await tx.query(lockDuePayouts, [doors.clock.now(), BATCH])
      for (const payout of due) await ask(tx, payout, { hot, ground })
      return due.length
    })
    if (asked > 0) signing.wake()
    return asked
  }

  async function ask(
    tx: Tx,
    { id, to, amount }: DuePayout,
    { hot, ground }: { hot: string; ground: Ground },
  ) {
    const value = { owner_address: hot, to_address: toHex(to), amount }
    const contract = { type: 'TransferContract' as const, value }
    const asked = await signing.ask(tx, { purpose: 'payout', contract, ground, lifeMs: LIFE_MS })
    await tx.query(setPayoutBytes, [id, asked.txid, asked.id])
  }

  async function conclude(): Promise<number> {
    const open = await db.query(openPayouts, [BATCH])
    let ended = 0
    for (const { of, fate } of open.length > 0 ? await outgoing.fatesOf(open) : []) {
      if (fate.state !== 'waiting' && (await db.transaction((tx) => end(tx, of, fate)))) ended += 1
    }
    return ended
  }

  async function end(tx: Tx, { id, txid }: OpenPayout, fate: Exclude<Fate, { state: 'waiting' }>) {
    if (fate.state !== 'solid') {
      const trouble = fate.state === 'refused' ? fate.reason : 'its bytes expired'
      const pauseMs = fate.state === 'refused' ? AGAIN_AFTER_MS : 0
      log.warn('payout_not_done', { txid, reason: trouble })
      const after = new Date(doors.clock.now().getTime() + pauseMs)
      return (await tx.query(dropPayoutBytes, [id, txid, trouble, after])).length > 0
    }
    const [paid] = await tx.query(payPayout, [id, txid, fate.fee])
    if (!paid || fate.fee === 0n) return paid !== undefined
    await ledger.transfer(tx, [
      {
        kind: 'network_fee',
        reference: txid,
        from: 'cost:network',
        to: 'asset:hot',
        amount: sun(fate.fee),
        description: 'Network fee of a payout',
      },
    ])
    return true
  }

  return { pay: async () => (await conclude()) + (await askForDue()) }
}
