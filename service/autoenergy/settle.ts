import type { Chain, Progress } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Standing } from '../delivery/index.ts'
import type { Log } from '../kernel/index.ts'
import type { Bars } from './bars/bars.ts'
import { Book, type BookDeps } from './book.ts'
import { judgeBudgets } from './budget.ts'
import { billedClass, type CoveredCall, type EnergyClass } from './coveredCall.ts'
import { lockSeenCalls } from './settle.sql.ts'
import { lockSubscription } from './store.ts'
import {
  ACTIVATION_MS,
  DAY_MS,
  decidePending,
  endOfPending,
  idleAt,
  later,
  nextDue,
  type TimeDue,
} from './subscription.ts'

/** Time, chain progress and Energy price, read by a round before it locks anything. */
export type Outlook = { now: Date; progress: Progress; energyPrice: bigint }

/** How long a pause goes on while our stake has no Energy for the address. */
const RESUME_AGAIN_MS = 60_000

type Seen = Outlook & {
  room: ReturnType<Standing['room']>
  /** When the client was blocked. */
  blockedAt: Date | null
  log: Log
  /** Energy of this activation that others used. */
  takenByOthers(): Promise<bigint>
}

/** Null: nothing more to do now. */
type Step = (() => void | Promise<void>) | null

/**
 * Handles everything due on one subscription in the order of the due times. Calls, days, closes and
 * activations all lock its row, so that each sees the result of the one before.
 */
export function createSettling(
  deps: BookDeps & { db: Db; log: Log; bars: Bars; chain: () => Chain },
) {
  const { db, runtime, log, bars } = deps

  async function outlook(): Promise<Outlook | undefined> {
    const chain = deps.chain()
    const progress = await chain.progress()
    if (!progress) return undefined
    return { now: runtime.clock.now(), progress, energyPrice: await chain.energyPrice() }
  }

  /** Runs in the caller's transaction; `after` can add to the book before it is written. */
  async function settleIn(
    tx: Tx,
    { id, seen, after }: { id: string; seen: Outlook; after?: (book: Book) => void },
  ): Promise<Book | undefined> {
    const [locked] = await tx.query(lockSubscription, [id])
    if (!locked) return undefined
    const { blockedAt, ...sub } = locked
    const level = await deps.standing().lock(tx, sub.address)
    const calls = await tx.query(lockSeenCalls, [id])
    const book = new Book(deps, tx, { sub, level })
    const waiting = calls.toSorted(inChainOrder)
    const takenByOthers = () => bars.takenInRun(tx, sub)
    const room = deps.standing().room()
    for (;;) {
      const step = nextStep(book, waiting, { ...seen, room, log, takenByOthers, blockedAt })
      if (!step) break
      await step()
    }
    if (book.sub.status !== 'closed' && level?.isAstray) {
      book.close('energy_used_by_others', seen.now)
    }
    const isOver = book.sub.status === 'closed' && book.sub.live && level?.gone
    // A day that began before the close is charged first, once its block is solid.
    if (isOver && waiting.length === 0 && !nextDue(book.sub)) book.end()
    const isPaused = book.sub.pausedUntil !== null && level?.gone
    // No Energy of ours is on the address, so nothing is reserved for a call.
    if (isPaused && waiting.length === 0 && book.sub.reserved > 0n) book.reserve(0n)
    after?.(book)
    await book.write()
    return book
  }

  return {
    outlook,
    settleIn,
    /** True when something was done. */
    settle: (id: string, seen: Outlook): Promise<boolean> =>
      db.transaction(async (tx) => (await settleIn(tx, { id, seen }))?.changed ?? false),
  }
}

function inChainOrder(a: CoveredCall, b: CoveredCall): number {
  return Number(a.block - b.block) || Number(a.position - b.position)
}

/** What came before the block of the client is handled first; the block closes what is left. */
function nextStep(book: Book, calls: CoveredCall[], seen: Seen): Step {
  const { status, activatedAt } = book.sub
  const closesAt = status === 'active' ? seen.blockedAt : null
  const step = nextOf(book, calls, { ...seen, closesAt })
  if (step || !closesAt) return step
  const at = activatedAt && activatedAt > closesAt ? activatedAt : closesAt
  return () => book.close('account_blocked', at)
}

/** `closesAt`: nothing of this moment or later is handled before the close. */
function nextOf(book: Book, waiting: CoveredCall[], seen: Seen & { closesAt: Date | null }): Step {
  const { closesAt } = seen
  if (book.sub.status === 'pending_activation') return pendingStep(book, waiting, seen)
  const calls = waiting[0] && closesAt && waiting[0].time > closesAt ? [] : waiting
  const [call] = calls
  const next = nextDue(book.sub)
  const due = next && closesAt && next.at >= closesAt ? undefined : next
  // At the same moment expiry comes before the call, which is still covered. Idleness and a day come
  // after it: the call is activity, and may close the subscription before the day begins.
  const isTimeFirst =
    due && (!call || due.at < call.time || (due.kind === 'expired' && !(due.at > call.time)))
  if (!isTimeFirst) return call ? () => settleCall(book, calls.shift()!, seen) : null
  // Wait until solid time has reached the due time: then every call before it is known. A day waits
  // for the next millisecond too, because a close at this one would come first.
  const isPast = due.kind === 'day' ? due.at < seen.now : due.at <= seen.now
  if (!isPast || due.at > seen.progress.solidTime) return null
  // The use of the Energy is counted until it is reclaimed; only then a new stay can begin.
  if (due.kind === 'resume' && !isGone(book)) return null
  return () => settleDue(book, due, seen)
}

function pendingStep(book: Book, calls: CoveredCall[], { now, takenByOthers }: Seen): Step {
  const { sub, level } = book
  const [call] = calls
  const wholeAt = level?.wholeAt
  const atLeastRequestedAt = (moment: Date) => (moment > sub.requestedAt ? moment : sub.requestedAt)
  const step = decidePending({
    requestedAt: sub.requestedAt,
    now,
    wholeAt,
    isLeaving: book.isLeaving,
    isGone: level?.gone ?? true,
    call: call && { time: call.time, isOnOurs: isOnOurs(book, call) },
  })
  switch (step) {
    case 'wait':
      return null
    case 'activate':
      return () => book.activate(atLeastRequestedAt(wholeAt!))
    case 'activate_by_call':
      return () => book.activate(atLeastRequestedAt(call!.time))
    case 'ignore_call':
      return () => ignore(book, calls.shift()!)
    case 'leave':
      return () => book.giveUp()
    case 'end':
      return async () => endPending(book, calls, await takenByOthers())
  }
}

/**
 * Ends a pending activation once its Energy is reclaimed. If the address made a call with that Energy,
 * the client keeps the subscription and pays: it becomes active, and the Energy is delegated again.
 */
async function endPending(book: Book, calls: CoveredCall[], taken: bigint): Promise<void> {
  const at = later(book.sub.requestedAt, ACTIVATION_MS)
  const reason = endOfPending(taken)
  if (reason === 'energy_used_by_others') return book.close(reason, at)
  const own = calls.find((call) => isOnOurs(book, call))
  if (!own) return book.failActivation(at)
  book.activate(own.time)
  book.coverAgain()
}

async function settleDue(book: Book, { kind, at }: TimeDue, seen: Seen): Promise<void> {
  const { sub } = book
  if (kind === 'resume') {
    if ((await book.room()) < sub.unit131k) return book.close('insufficient_balance', at)
    if (seen.room === 'room') return book.resume(at)
    // Not covered, so the client sees the pause and pays for no idle time.
    seen.log.warn('autoenergy_resume_waits', { address: sub.address, reason: seen.room })
    return book.stayPaused(later(seen.now, RESUME_AGAIN_MS))
  }
  if (kind !== 'day') return book.close(kind, at)
  if ((await book.spendable()) < sub.dailyFee) {
    if (sub.status === 'active') return book.close('insufficient_balance', at)
    // Closed meanwhile and without funds: the day stays unpaid, and no further day is due. Reserving
    // what is reserved already only marks the subscription as changed.
    sub.paidUntil = sub.closedAt
    return book.reserve(sub.reserved)
  }
  chargeDay(book, at, sub.id)
  sub.paidUntil = later(at, DAY_MS)
}

/** Charges the daily fee for the 24 hours from the given time. */
export function chargeDay(book: Book, at: Date, trace: string): void {
  const { sub } = book
  sub.daysCharged += 1n
  book.charge({
    kind: 'autoenergy_daily',
    reference: `${sub.id}:day:${sub.daysCharged}`,
    amount: sub.dailyFee,
    at,
    description: `AutoEnergy day ${sub.daysCharged} for ${sub.address}`,
    trace,
  })
}

async function settleCall(book: Book, call: CoveredCall, seen: Outlook): Promise<void> {
  const { sub, level } = book
  const { energyPrice } = seen
  // During a pause, and until the Energy is back after it, the address may call on other Energy.
  if ((sub.pausedUntil || sub.resumedAt) && !isOnOurs(book, call)) return ignore(book, call)
  if (!sub.activatedAt || call.time < sub.activatedAt) {
    if (sub.status === 'active' || !isOnOurs(book, call)) return ignore(book, call)
  }
  const energyClass = billedClass(call, energyPrice)
  const burnCost = call.energy * energyPrice
  const covered = sub.status === 'active' || isInTime(book, call)
  if (!covered && level?.gone && call.block > (level.reclaimedBlock ?? 0n))
    return ignore(book, call)
  // Closed by hand after the moment of its idleness: a call in between does not undo that.
  const wasIdle = sub.status === 'closed' && call.time > idleAt(sub)
  if (covered && !wasIdle) sub.lastActivityAt = call.time
  if (!energyClass) {
    return book.decide({ call, state: 'free', energyClass: undefined, price: 0n, burnCost })
  }
  const price = energyClass === '65k' ? sub.unit65k : sub.unit131k
  const pays = covered && (await book.room()) >= price
  book.decide({ call, state: pays ? 'billed' : 'owed', energyClass, price, burnCost })
  if (pays) await bill(book, call, { energyClass, price, now: seen.now })
  if (!pays && sub.status === 'active') {
    book.close('insufficient_balance', call.time, call.txid)
  }
}

/**
 * Pauses when a budget is used up, unless its period is over already. Within a pause that is long enough
 * no budget is told as used up: after the refund of a call the same one could be told again.
 */
async function checkBudgets(
  book: Book,
  { txid, time }: CoveredCall,
  price: bigint,
  now: Date,
): Promise<void> {
  const { sub } = book
  if (sub.dailyBudget === null && sub.monthlyBudget === null) return
  const spent = await book.spent(time)
  const { marks, until } = judgeBudgets(sub, { at: time, price, spent })
  const wasPaused = sub.pausedUntil !== null
  const isLonger = until && until > now && (!sub.pausedUntil || until > sub.pausedUntil)
  if (isLonger) book.pause(until)
  for (const mark of marks) {
    if (mark.kind === 'near' || isLonger || !wasPaused) book.announceBudget(mark, txid)
  }
}

/** No Energy of ours is on the address, and its use is counted. */
function isGone({ level }: Book): boolean {
  return level?.gone ?? true
}

/** Whether the call was mined while the address was covered, and before the quota was used up. */
function isInTime({ sub }: Book, call: CoveredCall): boolean {
  const { closeReason, closedAt, activatedAt, quota, used } = sub
  // An orphaned call makes room in the quota again, but does not undo its close.
  const isFull = closeReason === 'quota' || (quota !== null && used >= quota)
  return !isFull && activatedAt !== null && call.time <= closedAt!
}

function isOnOurs({ level }: Book, call: CoveredCall): boolean {
  if (!level || level.sinceBlock === null || call.block <= level.sinceBlock) return false
  const isBack = level.stake === 0n && level.reclaimedBlock !== null
  return !isBack || call.block <= level.reclaimedBlock!
}

function ignore(book: Book, call: CoveredCall): void {
  book.decide({ call, state: 'ignored', energyClass: undefined, price: 0n, burnCost: 0n })
}

async function bill(
  book: Book,
  call: CoveredCall,
  { energyClass, price, now }: { energyClass: EnergyClass; price: bigint; now: Date },
): Promise<void> {
  const { sub } = book
  sub.used += 1n
  book.charge({
    kind: 'autoenergy_unit',
    reference: call.txid,
    amount: price,
    at: call.time,
    counted: true,
    description: `AutoEnergy ${energyClass} for ${sub.address}`,
    trace: call.txid,
  })
  book.announce('autoenergy.delegated', call.txid, {
    energy_class: energyClass,
    billed_sun: price,
    used_tx_id: call.txid,
    tx_used_total: Number(sub.used),
    quota_max_tx: sub.quota === null ? null : Number(sub.quota),
  })
  const left = await book.room()
  if (sub.status === 'closed') {
    // A call that was read late is paid from the reserve, which is not refilled.
    const rest = sub.reserved - price
    return book.reserve(least(rest > 0n ? rest : 0n, left))
  }
  if (left < sub.unit131k) book.reserve(left > 0n ? left : 0n)
  if (sub.quota !== null && sub.used >= sub.quota) return book.close('quota', call.time, call.txid)
  await checkBudgets(book, call, price, now)
  // A pause needs no reserve for the next call.
  const needsReserve = sub.pausedUntil === null
  if (needsReserve && left < sub.unit131k) {
    book.close('insufficient_balance', call.time, call.txid)
  }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
