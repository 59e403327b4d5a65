import { decodeRaw } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import { assert, type Runtime, type Settings } from '../kernel/index.ts'
import {
  amountOf,
  isTimed,
  type Limits,
  type PolicyContext,
  paymentOf,
  STAKE_TIMES,
  signedSince,
  type Timed,
} from '../signing/index.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const SUN_PER_TRX = 1_000_000n
/** Page size: a busy day has too many rows to read at once. */
const PAGE = 10_000

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

type Limited = keyof PolicyContext['limits']
const LIMITED: readonly Limited[] = ['delegate', 'sweep', 'payout', 'freeze', 'unfreeze']
/** What is read together at the start. Reclaims have no limit, because they only return stake. */
const GROUPS = [
  ['delegate'],
  ['sweep'],
  ['payout'],
  // Few are signed in a day: one look finds them.
  ['treasury', 'freeze', 'unfreeze', 'vote', 'claim'],
]

/**
 * Sums signed for each purpose in the last hour and the last day. They are read from the database at
 * the start, then kept in memory. A sum decreases only by age.
 */
export type SignedSums = {
  add(purpose: Limited, amount: bigint): void
  limits(): PolicyContext['limits']
  /** Sums of the treasury are per destination; its limits are in the signer's file. */
  addTreasury(to: string, amount: bigint): void
  treasuryLimits(to: string, cap: Cap): Limits
  /** Votes and claims are counted for each stake. */
  addTime(purpose: Timed, stake: string): void
  times(purpose: Timed, stake: string): Limits
}

type Cap = { hour: bigint; day: bigint }
export type Caps = Record<Limited, Cap>

/** Default daily limit in hourly limits: the busy third of a day. */
const HOURS_A_DAY = 8

export function capsOf(settings: Settings): Caps {
  const caps = (hourly: number, daily: number | null) => ({
    hour: BigInt(hourly) * SUN_PER_TRX,
    day: BigInt(daily ?? HOURS_A_DAY * hourly) * SUN_PER_TRX,
  })
  return {
    delegate: caps(settings.SIGNER_HOURLY_TRX_MAX, settings.SIGNER_DAILY_TRX_MAX),
    sweep: caps(settings.SIGNER_HOURLY_SWEEP_TRX_MAX, settings.SIGNER_DAILY_SWEEP_TRX_MAX),
    payout: caps(settings.SIGNER_HOURLY_PAYOUT_TRX_MAX, settings.SIGNER_DAILY_PAYOUT_TRX_MAX),
    freeze: caps(settings.SIGNER_HOURLY_STAKE_TRX_MAX, settings.SIGNER_DAILY_STAKE_TRX_MAX),
    unfreeze: caps(settings.SIGNER_HOURLY_STAKE_TRX_MAX, settings.SIGNER_DAILY_STAKE_TRX_MAX),
  }
}

export async function readSignedSums(db: Db, runtime: Runtime, caps: Caps): Promise<SignedSums> {
  const now = () => runtime.clock.wallMs()
  const sums = createSignedSums(now, caps)
  for (const group of GROUPS) {
    let after = { at: new Date(now() - DAY_MS), id: FIRST_ID }
    for (let rows = PAGE; rows === PAGE; ) {
      const page = await db.query(signedSince, [group, after.at, after.id, PAGE])
      for (const { purpose, raw, at } of page) {
        if (isTimed(purpose)) {
          sums.addTime(purpose, decodeRaw(raw).contract.value.owner_address, at.getTime())
          continue
        }
        // Earlier versions signed negative amounts too; such an amount must not lower the sum.
        const amount = amountOf(raw)
        if (amount <= 0n) continue
        if (purpose !== 'treasury') sums.addAt(purpose as Limited, amount, at.getTime())
        else sums.addTreasury(paymentOf(raw)!.to, amount, at.getTime())
      }
      rows = page.length
      after = page.at(-1) ?? after
    }
  }
  return sums
}

export function createSignedSums(now: () => number, caps: Caps) {
  const purposes = {
    delegate: createWindows(),
    sweep: createWindows(),
    payout: createWindows(),
    freeze: createWindows(),
    unfreeze: createWindows(),
  }
  const treasuryOf = createWindowsByName()
  const timesOf = createWindowsByName()
  return {
    add: (purpose: Limited, amount: bigint) => purposes[purpose].add(amount, now()),
    addAt: (purpose: Limited, amount: bigint, at: number) => purposes[purpose].add(amount, at),
    limits: () => ({
      delegate: purposes.delegate.limits(now(), caps.delegate),
      sweep: purposes.sweep.limits(now(), caps.sweep),
      payout: purposes.payout.limits(now(), caps.payout),
      freeze: purposes.freeze.limits(now(), caps.freeze),
      unfreeze: purposes.unfreeze.limits(now(), caps.unfreeze),
    }),
    addTreasury: (to: string, amount: bigint, at = now()) => treasuryOf(to).add(amount, at),
    treasuryLimits: (to: string, cap: Cap) => treasuryOf(to).limits(now(), cap),
    addTime: (purpose: Timed, stake: string, at = now()) =>
      timesOf(`${purpose} ${stake}`).add(1n, at),
    times: (purpose: Timed, stake: string) =>
      timesOf(`${purpose} ${stake}`).limits(now(), STAKE_TIMES[purpose]),
  }
}

function createWindowsByName() {
  const named = new Map<string, ReturnType<typeof createWindows>>()
  return (name: string) => {
    const windows = named.get(name) ?? createWindows()
    named.set(name, windows)
    return windows
  }
}

export function isLimited(purpose: string): purpose is Limited {
  return LIMITED.some((limited) => limited === purpose)
}

function createWindows() {
  const hour = createWindow(HOUR_MS)
  const day = createWindow(DAY_MS)
  return {
    add(amount: bigint, at: number) {
      assert(amount > 0n, 'a sum of signed amounts only grows')
      hour.add(amount, at)
      day.add(amount, at)
    },
    limits: (now: number, cap: Cap): Limits => ({
      hour: { max: cap.hour, signed: hour.sum(now) },
      day: { max: cap.day, signed: day.sum(now) },
    }),
  }
}

/**
 * A sliding sum by minutes, so that a day has at most 1,440 entries. A minute counts until its end is
 * too old.
 */
function createWindow(lengthMs: number) {
  const minutes: { end: number; amount: bigint }[] = []
  let sum = 0n
  return {
    add(amount: bigint, at: number) {
      const end = Math.floor(at / MINUTE_MS) * MINUTE_MS + MINUTE_MS
      const last = minutes.at(-1)
      // After the clock was set back, an amount joins the last minute: it counts longer, never shorter.
      if (last && last.end >= end) last.amount += amount
      else minutes.push({ end, amount })
      sum += amount
    },
    sum(now: number): bigint {
      while (minutes[0] && minutes[0].end <= now - lengthMs) sum -= minutes.shift()!.amount
      return sum
    },
  }
}
