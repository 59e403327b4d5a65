import { type Sun, sun } from '../kernel/index.ts'

/**
 * Limits of the credit that may be spent before its block is final. A fork of the chain can reverse
 * all of it at once, so there is a limit for each account and one for the service.
 */
export type CreditLimits = {
  /** Of one account. */
  account: Sun
  /** Of accounts with a limit of their own, instead. */
  own?: ReadonlyMap<string, bigint>
  /** Of all accounts together, without the uncounted parts. */
  service: Sun
  /** The first part of each account's credit does not count: large clients cannot stop small ones. */
  uncounted: Sun
  /** The service's limit is divided into so many shares; an account gets at most one. */
  shares: bigint
}

export const CREDIT_LIMITS: CreditLimits = {
  account: sun(10_000_000_000n),
  service: sun(100_000_000_000n),
  uncounted: sun(200_000_000n),
  shares: 10n,
}

/** Unverified credit before these deposits: of each account, and the counted sum of all accounts. */
export type Carried = { accounts: ReadonlyMap<string, bigint>; service: bigint }

type Arrival = { account: string; amount: bigint }
type Admitted<T> = { credited: T[]; waiting: T[]; isServiceFull: boolean }

/**
 * Selects the deposits that are credited before they are final, in the order given, each whole or not
 * at all. A deposit that does not fit waits; a smaller one after it may still fit.
 */
export function admit<T extends Arrival>(
  arrivals: readonly T[],
  carried: Carried,
  limits: CreditLimits,
): Admitted<T> {
  const accounts = new Map(carried.accounts)
  let { service } = carried
  const admitted: Admitted<T> = { credited: [], waiting: [], isServiceFull: false }
  for (const arrival of arrivals) {
    const before = accounts.get(arrival.account) ?? 0n
    const after = before + arrival.amount
    const counted = countedOf(after, limits)
    const serviceAfter = service + counted - countedOf(before, limits)
    const most = limits.own?.get(arrival.account) ?? limits.account
    const fitsAccount = after <= most && counted * limits.shares <= limits.service
    const fitsService = serviceAfter <= limits.service || counted === 0n
    if (fitsAccount && fitsService) {
      accounts.set(arrival.account, after)
      service = serviceAfter
      admitted.credited.push(arrival)
    } else {
      admitted.isServiceFull ||= fitsAccount
      admitted.waiting.push(arrival)
    }
  }
  return admitted
}

/** The part of an account's unverified credit that counts towards the service's limit. */
function countedOf(amount: bigint, { uncounted }: CreditLimits): bigint {
  return amount > uncounted ? amount - uncounted : 0n
}
