import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import { toHex } from '@ergon/tron'
import { type Db, type Tx, Undo, undoable } from '../db/index.ts'
import { formatTrx } from '../kernel/index.ts'
import { blockedWords } from '../ledger/index.ts'
import type { Plan, Pricing } from '../pricing/index.ts'
import { type Bars, barredWords } from './bars/bars.ts'
import { Book, type BookDeps } from './book.ts'
import { addressBusy, conflictOf, createGate, type GateDeps, invalid } from './gate.ts'
import { chargeDay, type createSettling } from './settle.ts'
import { findSubscription, lockSubscription } from './store.ts'
import {
  findConflicts,
  insertSubscription,
  lockOwedCalls,
  payOwedCalls,
  renewPlan,
} from './subscribe.sql.ts'
import { type Entry, entryOf, type Subscription } from './subscription.ts'

export type Asker = { account: string; trace: string }
export type Budgets = Pick<Subscription, 'dailyBudget' | 'monthlyBudget'>
export type Wish = Budgets & {
  address: string
  plan: string
  idleHours: bigint
  quota: bigint | null
  signature: string | undefined
}
/** A budget that is left out stays as it was. */
export type Again = { signature: string | undefined; budgets: Partial<Budgets> }

type Deps = BookDeps &
  GateDeps & { db: Db; pricing: Pricing; bars: Bars; settling: ReturnType<typeof createSettling> }

/** Terms of an activation. */
type Terms = { plan: Plan; isProven: boolean; budgets: Partial<Budgets> }

/** Fields that a reactivation resets. */
const fresh = {
  status: 'pending_activation',
  used: 0n,
  activatedAt: null,
  expireAt: null,
  lastActivityAt: null,
  closedAt: null,
  closeReason: null,
  pausedUntil: null,
  resumedAt: null,
  live: true,
} as const

/** Subscribe and reactivate: charge, reserve and the request for Energy are one transaction. */
export function createSubscribing(deps: Deps) {
  const { db, runtime, pricing, chain, standing, settling, bars } = deps
  const gate = createGate(deps)

  const planNamed = (name: string) => pricing.plans().find((plan) => plan.name === name)

  /** Settles what is due first, in a separate transaction: the Energy may be reclaimed by now. */
  async function settled(account: string, address: string): Promise<Subscription | undefined> {
    const [found] = await db.query(findSubscription, [account, address])
    const seen = found && (await settling.outlook())
    if (!found || !seen) return found
    await settling.settle(found.id, seen)
    return (await db.query(findSubscription, [account, address]))[0]
  }

  async function inOneGo(work: (tx: Tx) => Promise<Subscription>): Promise<Subscription | Refusal> {
    const made = await undoable(db, work)
    if (!isRefusal(made)) standing().wake()
    return made
  }

  /** Charges owed calls first, then the entry; the balance must also cover the reserve. */
  async function pay(
    tx: Tx,
    book: Book,
    { trace, fee, charge }: { trace: string; fee: bigint; charge: () => void },
  ): Promise<void> {
    const { sub } = book
    const owed = await tx.query(lockOwedCalls, [sub.account, sub.address])
    const debt = owed.reduce((sum, call) => sum + call.price, 0n)
    const required = debt + fee + sub.unit131k
    const current = await book.spendable()
    const block = await deps.ledger.blocks.of(sub.account, tx)
    if (block) throw new Undo(blocked(block.reason))
    if (current < required) throw new Undo(tooLittle({ current, required, debt }))
    for (const { txid, price, energyClass } of owed) {
      book.charge({
        kind: 'autoenergy_unit',
        reference: txid,
        amount: price,
        at: sub.requestedAt,
        description: `AutoEnergy ${energyClass} for ${sub.address}, owed since its close`,
        trace,
      })
    }
    charge()
    book.reserve(sub.unit131k)
    if (owed.length === 0) return
    await tx.query(payOwedCalls, [owed.map(({ txid }) => txid), sub.id])
  }

  function chargeActivation(book: Book, trace: string): void {
    const { sub } = book
    book.charge({
      kind: 'autoenergy_activate',
      reference: `${sub.id}:activation:${sub.activation}`,
      amount: sub.activationFee,
      at: sub.requestedAt,
      description: `AutoEnergy activation for ${sub.address}`,
      trace,
    })
  }

  /** Requests the Energy. Earlier use by others still counts. */
  async function want(tx: Tx, sub: Subscription, entry: Entry): Promise<void> {
    const strayed = await bars.countedFor(tx, sub, entry)
    await standing().want(tx, sub.address, strayed)
  }

  async function open(
    tx: Tx,
    asker: Asker,
    wish: Wish,
    { plan, isProven }: Omit<Terms, 'budgets'>,
  ) {
    const { account, trace } = asker
    const prices = [plan.activationFee, plan.dailyFee, plan.unit65k, plan.unit131k, plan.termDays]
    const own = [runtime.ids.next(), account, wish.address, plan.name, ...prices]
    const terms = [wish.idleHours, wish.quota, 0n, runtime.clock.now(), isProven]
    const budgets = [wish.dailyBudget, wish.monthlyBudget]
    const [sub] = await tx.query(insertSubscription, [...own, ...terms, ...budgets])
    if (!sub) {
      const rows = await tx.query(findConflicts, [wish.address, account])
      throw new Undo(conflictOf(account, rows) ?? addressBusy())
    }
    await want(tx, sub, 'activation')
    await chain().watchCallers(tx, [toHex(sub.address)])
    const book = new Book(deps, tx, { sub, level: undefined })
    const charge = () => chargeActivation(book, trace)
    await pay(tx, book, { trace, fee: sub.activationFee, charge })
    await book.write()
    return book.sub
  }

  async function reopen(tx: Tx, { trace }: Asker, id: string, terms: Terms) {
    const { plan, isProven, budgets } = terms
    const [before] = await tx.query(lockSubscription, [id])
    // It may have been deleted while we waited for its row.
    if (!before || before.deletedAt) throw new Undo(notFound())
    const refusal = reopenRefusal(before)
    if (refusal) throw new Undo(refusal)
    const now = runtime.clock.now()
    const isFeeUsedUp = await bars.isFeeUsedUp(tx, before)
    const entry = entryOf(before, { now, isFeeUsedUp })
    const paidAtRequest = entry !== 'nothing'
    const sub: Subscription = { ...before, ...plan, ...budgets, ...fresh, paidAtRequest }
    sub.requestedAt = now
    sub.activation += 1n
    await want(tx, sub, entry)
    const prices = [plan.activationFee, plan.dailyFee, plan.unit65k, plan.unit131k, plan.termDays]
    await tx.query(renewPlan, [id, ...prices, isProven, sub.dailyBudget, sub.monthlyBudget])
    const book = new Book(deps, tx, { sub, level: undefined })
    const fees = { nothing: 0n, day: plan.dailyFee, activation: plan.activationFee }
    const charge = () => {
      if (entry === 'activation') chargeActivation(book, trace)
      if (entry === 'day') chargeDay(book, now, trace)
    }
    await pay(tx, book, { trace, fee: fees[entry], charge })
    await book.write()
    return book.sub
  }

  /** The refusal that any activation of this account would get now. */
  const refusalNow = async ({ account }: Asker) =>
    (await bars.refusalForAccount(account)) ?? (await gate.refusalNow())

  return {
    async subscribe(asker: Asker, wish: Wish): Promise<Subscription | Refusal> {
      const address = await gate.addressFor(wish.address)
      if (isRefusal(address)) return address
      const plan = planNamed(wish.plan)
      if (!plan) return refuse('plan_not_found', { message: 'No such plan; see /public/pricing.' })
      const pair = { account: asker.account, address: wish.address }
      const isProven = gate.proofOf(pair, wish.signature)
      if (isRefusal(isProven)) return isProven
      const rows = await db.query(findConflicts, [wish.address, asker.account])
      const conflict = conflictOf(asker.account, rows)
      if (conflict) return conflict
      const barred = await bars.barredFrom(pair, isProven)
      if (barred) return invalid(barredWords(barred))
      const refusal = (await refusalNow(asker)) ?? (await gate.refusalForReceiver(address))
      return refusal ?? inOneGo((tx) => open(tx, asker, wish, { plan, isProven }))
    },

    async reactivate(
      asker: Asker,
      address: string,
      { signature, budgets }: Again,
    ): Promise<Subscription | Refusal> {
      const sub = await settled(asker.account, address)
      if (!sub) return notFound()
      const plan = planNamed(sub.planName)
      const stateRefusal = reopenRefusal(sub)
      if (stateRefusal) return stateRefusal
      if (!plan) return notReactivatable('Its plan was withdrawn. Subscribe under another one.')
      const rows = await db.query(findConflicts, [address, asker.account])
      if (rows.some((row) => row.live && row.id !== sub.id)) return coveredElsewhere()
      const pair = { account: asker.account, address }
      const isProven = gate.proofOf(pair, signature)
      if (isRefusal(isProven)) return isProven
      const barred = await bars.barredFrom(pair, isProven || sub.proven)
      if (barred) return notReactivatable(barredWords(barred))
      const refusal = await refusalNow(asker)
      if (refusal) return refusal
      const terms = { plan, isProven, budgets }
      return inOneGo((tx) => reopen(tx, asker, sub.id, terms)).catch(asConflict)
    },
  }
}

/** Two who reactivate at once are told apart by the index: the second finds the address covered. */
function asConflict(error: unknown): Refusal {
  const { constraint } = error as { constraint?: string }
  if (constraint === 'one_cover_per_address') return coveredElsewhere()
  throw error
}

function reopenRefusal({ status, live }: Subscription): Refusal | undefined {
  if (status === 'active') return notReactivatable('It is active.')
  return live ? addressBusy({ status }) : undefined
}

function notFound(): Refusal {
  return refuse('autoenergy_not_found', {
    message: 'No such subscription. GET /autoenergy/subscriptions lists them.',
  })
}

function coveredElsewhere(): Refusal {
  return notReactivatable('Another account covers the address now.')
}

function notReactivatable(message: string): Refusal {
  return refuse('not_reactivatable', { message })
}

function blocked(reason: string): Refusal {
  return refuse('autoenergy_account_blocked', { message: blockedWords(reason), reason })
}

function tooLittle(amount: { current: bigint; required: bigint; debt: bigint }): Refusal {
  const { current, required, debt } = amount
  const spendable = current > 0n ? current : 0n
  const owed_trx = formatTrx(debt)
  const owed = debt > 0n ? ` ${owed_trx} TRX are owed for calls after a close.` : ''
  const message =
    `${formatTrx(required)} TRX are needed for the charge and the reserve, ` +
    `${formatTrx(spendable)} TRX can be spent.${owed} Send TRX to your deposit address first.`
  const amounts = { current_balance: spendable, required_amount: required, owed_trx }
  return refuse('autoenergy_insufficient_balance', { message, ...amounts })
}
