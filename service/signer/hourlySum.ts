import { decodeRaw } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { Doors } from '../kernel/index.ts'
import { type Limit, signedSince } from '../signing/index.ts'

const HOUR_MS = 3_600_000
const SUN_PER_TRX = 1_000_000n

/** What was signed for one purpose in the last hour. Read from the database once, then kept in memory. */
export type HourlySum = { add(raw: Uint8Array): void; limit(): Limit }

export async function readHourlySum(
  db: Db,
  doors: Doors,
  { purpose, trxMax }: { purpose: string; trxMax: number },
): Promise<HourlySum> {
  const now = () => doors.clock.wallMs()
  const perHourMax = BigInt(trxMax) * SUN_PER_TRX
  const signed = await db.query(signedSince, [purpose, new Date(now() - HOUR_MS)])
  const parts = signed.map(({ raw, at }) => ({ at: at.getTime(), amount: amountOf(raw) }))
  let sum = parts.reduce((total, part) => total + part.amount, 0n)
  return {
    add(raw) {
      const amount = amountOf(raw)
      parts.push({ at: now(), amount })
      sum += amount
    },
    limit() {
      while (parts[0] && parts[0].at < now() - HOUR_MS) sum -= parts.shift()!.amount
      return { perHourMax, thisHour: sum }
    },
  }
}

/** Stake that is delegated, or TRX that leaves. */
function amountOf(rawBytes: Uint8Array): bigint {
  const { contract } = decodeRaw(rawBytes)
  if (contract.type === 'DelegateResourceContract') return contract.value.balance
  return contract.type === 'TransferContract' ? contract.value.amount : 0n
}
