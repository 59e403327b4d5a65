import type { EventData } from '@ergon/contract'
import type { Tx } from '../db/index.ts'
import type { Standing, StandingLevel } from '../delivery/index.ts'
import type { Events, NewEvent } from '../events/index.ts'
import { type Runtime, type Sun, sun } from '../kernel/index.ts'
import type { Ledger, LockedBalance, Posting } from '../ledger/index.ts'
import { decideCalls, findEntryCharge } from './book.sql.ts'
import { type BudgetMark, periodsOf, type Spent } from './budget.ts'
import type { CoveredCall, EnergyClass } from './coveredCall.ts'
import {
  type ChargeKind,
  insertCharges,
  type SpentRow,
  savedValues,
  saveSubscription,
  sumSpent,
} from './store.ts'
import { type CloseReason, DAY_MS, later, type Subscription } from './subscription.ts'

export type BookDeps = {
  runtime: Runtime
  ledger: Ledger
  events: Events
  standing: () => Standing
}

type Charge = {
  kind: ChargeKind
  reference: string
  amount: bigint
  /** When it became due. */
  at: Date
  counted: boolean
  description: string
  trace: string
}

type AnnouncedType =
  | 'autoenergy.activated'
  | 'autoenergy.delegated'
  | 'autoenergy.closed'
  | 'autoenergy.budget_near'
  | 'autoenergy.budget_reached'
/** The fields of a payload besides those of the subscription. */
type Rest<T extends AnnouncedType> = Omit<EventData<T>, 'subscription_id' | 'address'>

type Decision = {
  call: CoveredCall
  state: 'billed' | 'free' | 'owed' | 'ignored'
  energyClass: EnergyClass | undefined
  price: bigint
  burnCost: bigint
}

/**
 * One subscription while everything due on it is settled: its row, its standing Energy and its calls
 * are locked already. The book collects the changes and writes them at the end, the ledger last.
 */
export class Book {
  readonly sub: Subscription
  readonly level: StandingLevel | undefined
  readonly #deps: BookDeps
  readonly #tx: Tx
  readonly #reservedBefore: bigint
  readonly #charges: Charge[] = []
  readonly #decisions: Decision[] = []
  readonly #events: NewEvent[] = []
  #money: LockedBalance | undefined
  /** Spent before this book, in the periods of a moment. */
  #spent: { day: number; before: SpentRow } | undefined
  #refund: { kind: ChargeKind; reference: string; amount: bigint; at: Date } | undefined
  #releases = false
  #covers = false
  #changed = false

  constructor(
    deps: BookDeps,
    tx: Tx,
    given: { sub: Subscription; level: StandingLevel | undefined },
  ) {
    this.#deps = deps
    this.#tx = tx
    this.sub = { ...given.sub }
    this.level = given.level
    this.#reservedBefore = given.sub.reserved
  }

  /** Its Energy is being reclaimed, or is reclaimed. */
  get isLeaving(): boolean {
    return this.#releases || this.level?.wanted === 0n
  }

  get changed(): boolean {
    return this.#changed
  }

  /** The amount that could be charged: the spendable balance plus the subscription's reserve. */
  async room(): Promise<bigint> {
    this.#money ??= await this.#deps.ledger.lockBalance(this.#tx, this.sub.account)
    const { balance, reserved, withheld, overdrawn } = this.#money
    return overdrawn ? -1n : balance - (reserved - this.sub.reserved) - withheld
  }

  async spendable(): Promise<bigint> {
    return (await this.room()) - this.sub.reserved
  }

  /** What covered calls of this run have cost in the periods of a moment, those of the book included. */
  async spent(at: Date): Promise<Spent> {
    const { daily, monthly } = periodsOf(at)
    const day = daily.from.getTime()
    if (this.#spent?.day !== day) {
      const values = [this.sub.id, this.sub.activation, daily.from, monthly.from]
      this.#spent = { day, before: (await this.#tx.query(sumSpent, values))[0]! }
    }
    const { before } = this.#spent
    const charged = (from: Date) =>
      this.#charges.reduce((sum, it) => (it.counted && it.at >= from ? sum + it.amount : sum), 0n)
    return {
      daily: before.daily + charged(daily.from),
      monthly: before.monthly + charged(monthly.from),
    }
  }

  /** The caller has checked that the account can pay. */
  charge(charge: Omit<Charge, 'counted'> & { counted?: boolean }): void {
    this.#changed = true
    if (charge.amount === 0n) return
    this.#charges.push({ counted: false, ...charge })
    this.#money!.balance -= charge.amount
  }

  reserve(amount: bigint): void {
    this.#changed = true
    if (this.#money) this.#money.reserved += amount - this.sub.reserved
    this.sub.reserved = amount
  }

  decide(decision: Decision): void {
    this.#changed = true
    this.#decisions.push(decision)
  }

  announce<T extends AnnouncedType>(type: T, trace: string, data: Rest<T>): void {
    const { id, account, address } = this.sub
    const isOfRun = type === 'autoenergy.activated' || type === 'autoenergy.closed'
    const subject = isOfRun ? `${id}:${this.sub.activation}` : trace
    const all = { subscription_id: id, address, ...data }
    // The payload fits its type by the signature above, which the compiler cannot follow through T.
    this.#events.push({ account, type, subject, trace, data: all } as unknown as NewEvent)
  }

  activate(at: Date): void {
    this.#changed = true
    const { sub } = this
    sub.status = 'active'
    sub.activatedAt = at
    sub.lastActivityAt = null
    sub.expireAt = sub.termDays === null ? null : later(at, Number(sub.termDays) * DAY_MS)
    const paid = sub.paidUntil && sub.paidUntil > at ? sub.paidUntil : at
    sub.paidUntil = sub.paidAtRequest ? later(at, DAY_MS) : paid
    this.announce('autoenergy.activated', sub.id, {})
  }

  close(reason: CloseReason, at: Date, trace = this.sub.id): void {
    this.#changed = true
    this.#releases = true
    // The idle clock stood until now.
    if (this.sub.pausedUntil) Object.assign(this.sub, { pausedUntil: null, resumedAt: at })
    Object.assign(this.sub, { status: 'closed', closedAt: at, closeReason: reason })
    const data = { close_reason: reason, tx_used_total: Number(this.sub.used) }
    this.announce('autoenergy.closed', trace, data)
  }

  /** Reclaims the Energy until the budget's period is over. */
  pause(until: Date): void {
    this.#changed = true
    this.#releases = true
    this.sub.pausedUntil = until
  }

  /** Its Energy is reclaimed already. */
  stayPaused(until: Date): void {
    this.#changed = true
    this.sub.pausedUntil = until
  }

  /** Delegates again after a pause, when its Energy is reclaimed. The caller has checked the reserve. */
  resume(at: Date): void {
    Object.assign(this.sub, { pausedUntil: null, resumedAt: at })
    this.reserve(this.sub.unit131k)
    this.coverAgain()
  }

  announceBudget({ kind, budget, limit, spent, endsAt }: BudgetMark, trace: string): void {
    const data = { budget, budget_sun: limit, spent_sun: spent }
    if (kind === 'near') {
      this.announce('autoenergy.budget_near', trace, { ...data, ends_at: endsAt.toISOString() })
      return
    }
    const until = this.sub.pausedUntil ?? endsAt
    const paused_until = until.toISOString()
    this.announce('autoenergy.budget_reached', trace, { ...data, paused_until })
  }

  /** Reclaims the Energy before the outcome of the activation is decided. */
  giveUp(): void {
    this.#changed = true
    this.#releases = true
  }

  /** Delegates again after an early reclaim. Earlier use by others still counts. */
  coverAgain(): void {
    this.#changed = true
    this.#covers = true
  }

  /** Refunds the charge of the request: the Energy never arrived. */
  async failActivation(at: Date): Promise<void> {
    const { sub } = this
    const [charge] = await this.#tx.query(findEntryCharge, [sub.id, sub.activation])
    if (charge) this.#refund = { ...charge, at }
    this.close('activation_failed', at)
  }

  /** The Energy is reclaimed: releases the reserve and frees the address. */
  end(): void {
    this.reserve(0n)
    this.sub.live = false
  }

  async write(): Promise<void> {
    if (!this.#changed) return
    const { sub } = this
    const tx = this.#tx
    await this.#writeDecisions()
    await this.#writeCharges()
    await tx.query(saveSubscription, savedValues(sub))
    if (this.#covers) await this.#deps.standing().want(tx, sub.address, this.level?.strayed ?? 0n)
    if (this.#releases) await this.#deps.standing().release(tx, sub.address)
    if (this.#events.length > 0) await this.#deps.events.emit(tx, this.#events)
    await this.#moveMoney()
  }

  async #writeDecisions(): Promise<void> {
    if (this.#decisions.length === 0) return
    const column = <T>(pick: (decision: Decision) => T) => this.#decisions.map(pick)
    await this.#tx.query(decideCalls, [
      column((d) => d.call.txid),
      column((d) => d.state),
      column((d) => d.energyClass ?? null),
      column((d) => d.price),
      column((d) => d.burnCost),
      this.sub.id,
      this.sub.activation,
    ])
  }

  async #writeCharges(): Promise<void> {
    const given = this.#refund
    const back = given ? [{ ...given, amount: -given.amount, counted: false }] : []
    const rows = [...this.#charges, ...back]
    if (rows.length === 0) return
    const { runtime } = this.#deps
    await this.#tx.query(insertCharges, [
      rows.map(() => runtime.ids.next()),
      this.sub.id,
      this.sub.account,
      this.sub.activation,
      runtime.clock.now(),
      rows.map((row) => row.kind),
      rows.map((row) => row.reference),
      rows.map((row) => row.amount),
      rows.map((row) => row.counted),
      rows.map((row) => row.at),
    ])
  }

  /** Releases a reserve before the charges that it pays, and raises a reserve after them. */
  async #moveMoney(): Promise<void> {
    const { ledger } = this.#deps
    const { account, reserved } = this.sub
    const growth = reserved - this.#reservedBefore
    if (growth < 0n) await ledger.reserve(this.#tx, account, growth)
    await ledger.post(
      this.#tx,
      this.#charges.map((charge) => postingOf(account, charge)),
    )
    if (growth > 0n) await ledger.reserve(this.#tx, account, growth)
    const given = this.#refund
    if (!given) return
    const { kind, reference } = given
    const description = 'AutoEnergy activation failed'
    await ledger.refund(this.#tx, { kind, reference, description, trace: this.sub.id })
  }
}

function postingOf(client: string, charge: Charge): Posting {
  const { kind, reference, amount, description, trace } = charge
  const counter = kind === 'autoenergy_unit' ? 'income:energy' : 'income:fees'
  const negative: Sun = sun(-amount)
  return { client, kind, reference, amount: negative, counter, description, trace }
}
