import { createApart, type Db } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import { exactTrx, formatTrx, type Log, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Providers } from '../providers/index.ts'
import { type Arrival, arrivalOf } from './arrival.ts'
import { bookCredit } from './following.ts'
import { awaitedTopUps, markArrived, markMissing, noteTrouble, type TransferRow } from './store.ts'

/** An attempt may have been written so long before the first look without being seen by it. */
const UNSEEN_MS = 10_000

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  delivery: Delivery
  ledger: Ledger
  providers: Providers
}

/** Asks marketplaces whether top-ups have arrived. What does not arrive in time waits for a person. */
export function createArriving({ db, runtime, log, delivery, ledger, providers }: Deps) {
  const of = { loop: 'treasury.plan', kind: 'top-up' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  /** Undefined without a reading, now or before. */
  async function look(topUp: TransferRow): Promise<(Arrival & { balance: bigint }) | undefined> {
    const { provider, amount, before, beforeFrom, beforeTill, openBefore } = topUp
    if (before === null || !beforeFrom || !beforeTill || provider === null) return undefined
    const from = new Date(beforeFrom.getTime() - UNSEEN_MS)
    const charges = () => delivery.charges.since(provider, from, openBefore)
    const isOpen = new Set((await delivery.charges.open(provider)).open)
    const ended = new Set((await charges()).flatMap(({ id }) => (isOpen.has(id) ? [] : [id])))
    const balance = await providers.readFloat(provider)
    if (balance === undefined) return undefined
    const arrival = arrivalOf({
      before: { balance: before, from: beforeFrom, till: beforeTill, open: new Set(openBefore) },
      after: { balance, ended },
      amount,
      charges: await charges(),
    })
    return { ...arrival, balance }
  }

  async function arrived(topUp: TransferRow): Promise<boolean> {
    return db.transaction(async (tx) => {
      const [row] = await tx.query(markArrived, [topUp.id, runtime.clock.now()])
      if (!row) return false
      const { provider, txid, amount } = topUp
      await bookCredit(tx, ledger, { provider: provider!, txid, amount }, amount)
      return true
    })
  }

  async function conclude(topUp: TransferRow): Promise<boolean> {
    const { id, provider, state, txid } = topUp
    const seen = await look(topUp)
    if (state === 'solid' && seen?.verdict === 'arrived') return arrived(topUp)
    const trouble = sentenceOf(topUp, seen)
    const [missing] = await db.query(markMissing, [id, trouble, runtime.clock.now()])
    if (missing) log.error('top_up_missing', { txid, provider: provider!, reason: trouble })
    else if (seen) await db.query(noteTrouble, [id, trouble])
    return missing !== undefined
  }

  return async function look(): Promise<number> {
    const awaited = await db.query(awaitedTopUps, [apart.waiting()])
    const ended = await apart.each(awaited, ({ id }) => id, conclude)
    return ended.filter(Boolean).length
  }
}

const trx = (of: bigint) => exactTrx(formatTrx(of))

function sentenceOf(
  { provider, before, amount }: TransferRow,
  seen: (Arrival & { balance: bigint }) | undefined,
): string {
  const sum = `${trx(amount)} TRX`
  if (before === null)
    return `${sum} found on the chain by recovery: the balance before is not known`
  if (!seen) return `the balance at ${provider} cannot be read`
  const { verdict, balance, least, most } = seen
  const wanted = least === most ? trx(least) : `${trx(least)} to ${trx(most)}`
  const is = `${provider} says ${trx(balance)} TRX`
  if (verdict === 'arrived') return `${is}, which is what it has with these ${sum}`
  if (verdict === 'unclear')
    return `${is}, and open orders there could explain it without these ${sum}`
  return `${is}; with these ${sum} it would be ${wanted} TRX`
}
