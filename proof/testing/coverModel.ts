import {
  BARRED_MS,
  countedStray,
  decidePending,
  endOfPending,
  entryOf,
  later,
} from '../../service/autoenergy/index.ts'
import {
  type Account,
  decideMove,
  NEVER_LOOKED,
  STANDING_ENERGY,
  STRAYED_MAX,
  spanOf,
  unjudged,
} from '../../service/delivery/index.ts'
import { AddressOnChain, type ModelBlock, type Planned, POOL, stakeFor } from './addressOnChain.ts'

// The service's decisions for one account and one address, without its database.

type Subscription = {
  status: 'none' | 'pending' | 'active' | 'closed'
  live: boolean
  requestedAt: Date
  paidUntil: Date | null
  run: number
}
type Evidence = { energy: bigint; at: Date; run: number }

const DAY_MS = 86_400_000
/** The lag the service assumes, and the seconds of a block. */
const LAG_MS_MAX = 27_000
const TOTALS = { energyLimit: POOL.limit, energyWeight: POOL.weight }

export class CoverModel {
  readonly chain = new AddressOnChain()
  readonly sub: Subscription = {
    status: 'none',
    live: false,
    requestedAt: new Date(0),
    paidUntil: null,
    run: 0,
  }
  /** Activation fees that were paid and not refunded. */
  fees = 0
  topUps = 0
  #use: Account = NEVER_LOOKED
  #strayed = 0n
  #wanted = 0n
  #stake = 0n
  #available: bigint | null = null
  #measuredAt: Date | null = null
  #reclaimedBlock: bigint | null = null
  /** A change that was requested and whose block is not read yet. */
  #isUnderWay = false
  #pool: Planned[] = []
  #read = 0n
  #evidence: Evidence[] = []
  #feeAt: Date | null = null
  #bars: { beganAt: Date; until: Date }[] = []
  /** A call that was mined and read while the activation was pending. */
  #called: ModelBlock | undefined

  /** The newest block that was read. */
  get cursor(): ModelBlock {
    return this.chain.blocks[Number(this.#read)]!
  }

  /** Energy judged to be used by others. */
  get taken(): bigint {
    return this.#evidence.reduce((sum, { energy }) => sum + energy, 0n)
  }

  /** A block with these calls, and our change before or after them. */
  mine(calls: readonly Planned[], isMoveFirst: boolean): void {
    const move = this.#pool
    this.#pool = []
    this.chain.mine(isMoveFirst ? [...move, ...calls] : [...calls, ...move])
  }

  readAll(): void {
    while (this.#read < this.chain.head.number) {
      this.#read += 1n
      const { own, moves, time, number } = this.cursor
      if (own > 0n) {
        const explained = this.#use.explained + own
        this.#use = { ...this.#use, explained, explainedAt: time }
        if (this.#stake > 0n) this.#called ??= this.cursor
      }
      for (const { kind, stake } of moves) {
        this.#isUnderWay = false
        this.#stake += kind === 'delegate' ? stake : -stake
        if (kind === 'reclaim') this.#reclaimedBlock = number
      }
    }
  }

  /** Measures the address; the node's head is `shift` blocks ahead of the cursor, or behind it. */
  look(shift: number): void {
    if (this.#isUnderWay || (this.#wanted === 0n && this.#use.judgedBlock === null)) return
    if (this.#wanted === 0n && this.#stake === 0n) {
      this.#finish()
      return
    }
    const view = this.#viewAt(shift)
    const unread = this.chain.blocks.slice(Number(this.#read) + 1, Number(view) + 1)
    const { time: at, number: block } = this.cursor
    const measured = this.chain.measured(view)
    const isCurrent = view >= this.#read && unread.every(({ own }) => own === 0n)
    const known = { ...this.#use, strayed: this.#strayed, stake: this.#stake }
    const look = { wanted: this.#wanted, measured, totals: TOTALS, at, block, isCurrent }
    const { stray, use, move, available } = decideMove(known, look)
    this.#use = use
    this.#available = available
    this.#measuredAt = at
    this.#note(stray, at)
    if (move.kind === 'delegate') {
      this.topUps += 1
      this.#ask('delegate', stakeFor(move.energy))
    } else if (move.kind === 'trim') this.#ask('reclaim', stakeFor(move.energy))
    else if (move.kind === 'reclaim' && this.#stake > 0n) this.#ask('reclaim', this.#stake)
  }

  /** Calls, activation and close, as the settling loop decides them. */
  settle(): void {
    const { sub } = this
    const isGone = this.#wanted === 0n && this.#stake === 0n && !this.#isUnderWay
    const gone = isGone && this.#use.judgedBlock === null
    if (sub.status === 'pending') this.#settlePending(gone)
    const isOpen = sub.status === 'pending' || sub.status === 'active'
    const isAstray = this.#wanted > 0n && this.#strayed > STRAYED_MAX
    if (isOpen && isAstray) this.#close()
    if (sub.status === 'closed' && gone) sub.live = false
  }

  subscribe(): void {
    const { sub } = this
    if (sub.live || this.#isBarred()) return
    sub.paidUntil = null
    this.#begin('activation')
  }

  reactivate(): void {
    const { sub } = this
    if (sub.status !== 'closed' || sub.live || this.#isBarred()) return
    const since = this.#feeAt
    const isFeeUsedUp = this.#bars.some(({ beganAt }) => !since || beganAt >= since)
    this.#begin(entryOf(sub, { now: this.#now(), isFeeUsedUp }))
  }

  close(): void {
    if (this.sub.status === 'active') this.#close()
  }

  #begin(entry: ReturnType<typeof entryOf>): void {
    const now = this.#now()
    if (entry === 'activation') {
      this.fees += 1
      this.#feeAt = now
    }
    const since = { now, feeAt: this.#feeAt, liftedAt: null }
    Object.assign(this.sub, { status: 'pending', live: true, requestedAt: now })
    this.sub.run += 1
    this.#wanted = STANDING_ENERGY
    this.#strayed = countedStray(this.#evidence, since)
    this.#use = NEVER_LOOKED
    this.#reclaimedBlock = null
    this.#available = null
    this.#measuredAt = null
    this.#called = undefined
  }

  #settlePending(isGone: boolean): void {
    const { sub } = this
    const isWhole = this.#wanted > 0n && (this.#available ?? -1n) >= this.#wanted
    const wholeAt = isWhole ? this.#measuredAt! : undefined
    const call = this.#called && { time: this.#called.time, isOnOurs: true }
    const { requestedAt } = sub
    const isLeaving = this.#wanted === 0n
    const given = { requestedAt, now: this.#now(), wholeAt, isLeaving, isGone, call }
    const step = decidePending(given)
    if (step === 'leave') this.#wanted = 0n
    if (step === 'end') this.#endPending()
    if (step !== 'activate' && step !== 'activate_by_call') return
    sub.status = 'active'
    sub.paidUntil ??= later(this.#now(), DAY_MS)
  }

  #endPending(): void {
    const { sub } = this
    sub.status = 'closed'
    const taken = this.#evidence.filter(({ run }) => run === sub.run)
    const sum = taken.reduce((all, { energy }) => all + energy, 0n)
    if (endOfPending(sum) !== 'activation_failed' || sub.paidUntil !== null) return
    this.fees -= 1
  }

  #close(): void {
    this.sub.status = 'closed'
    this.#wanted = 0n
  }

  #finish(): void {
    const span = spanOf({
      ...this.#use,
      reclaimedBlock: this.#reclaimedBlock,
    })
    const inSpan = ({ number, time }: ModelBlock) =>
      span &&
      number >= BigInt(span.first) &&
      number <= BigInt(span.last) &&
      time.getTime() > span.afterMs
    const taken = this.chain.blocks.filter(inSpan).reduce((sum, { others }) => sum + others, 0n)
    if (span) this.#note(unjudged(span, taken), this.cursor.time)
    this.#use = { ...this.#use, judgedBlock: null }
  }

  #note(energy: bigint, at: Date): void {
    if (energy <= 0n) return
    this.#strayed += energy
    this.#evidence.push({ energy, at, run: this.sub.run })
    const since = { now: at, feeAt: this.#feeAt, liftedAt: null }
    if (countedStray(this.#evidence, since) <= STRAYED_MAX || this.#isBarred()) return
    this.#bars.push({ beganAt: at, until: later(at, BARRED_MS) })
  }

  #isBarred(): boolean {
    return this.#bars.some(({ until }) => until > this.#now())
  }

  #ask(kind: 'delegate' | 'reclaim', stake: bigint): void {
    this.#isUnderWay = true
    this.#pool = [{ what: 'move', move: { kind, stake } }]
  }

  #viewAt(shift: number): bigint {
    const { head, blocks } = this.chain
    const ahead = this.#read + BigInt(Math.max(shift, 0))
    if (shift >= 0) return ahead > head.number ? head.number : ahead
    const oldest = this.cursor.time.getTime() - LAG_MS_MAX
    const behind = blocks
      .slice(0, Number(this.#read) + 1)
      .filter(({ time }) => time.getTime() >= oldest)
    return behind.at(Math.max(shift - 1, -behind.length))!.number
  }

  #now(): Date {
    return this.cursor.time
  }
}
