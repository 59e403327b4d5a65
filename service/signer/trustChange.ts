import { changeText } from '@ergon/contract/approval.ts'
import { isSignatureOf } from '../signing/index.ts'
import { operatorsAt, type Trust } from './trust.ts'

/** Delay of an addition, unless two operators sign it. A removal is valid at once. */
export const WAIT_MS = 24 * 3_600_000

export type Change =
  | { add: 'key'; operator: string; key: string }
  | { add: 'destination'; address: string }
  | { add: 'witness'; address: string }
  | { add: 'treasury'; address: string; hourlyTrx: number; dailyTrx: number }
  | { remove: 'key'; key: string }
  | { remove: 'destination' | 'treasury' | 'witness'; address: string }

export type ChangeSignature = { key: string; signature: string }
export type Changed = { trust: Trust; effectiveFrom: string } | { refused: string }

/** The text that two operators sign to make an addition valid at once. */
export function textOfChange({ chain, hot, changes }: Trust, change: Change): string {
  return changeText({ chain, hot, number: changes + 1, change: sentenceOf(change) })
}

function sentenceOf(change: Change): string {
  if ('remove' in change) {
    return `remove ${change.remove} ${'key' in change ? change.key : change.address}`
  }
  if (change.add === 'key') return `add key ${change.key} of ${change.operator}`
  if (change.add !== 'treasury') return `add ${change.add} ${change.address}`
  const { address, hourlyTrx, dailyTrx } = change
  return `add treasury ${address}, ${hourlyTrx} TRX an hour, ${dailyTrx} TRX a day`
}

export function changed(
  trust: Trust,
  change: Change,
  { now, signatures = [] }: { now: number; signatures?: readonly ChangeSignature[] },
): Changed {
  const next = { ...trust, changes: trust.changes + 1 }
  if ('remove' in change) return removed(next, trust, change, now)
  const signers = signersOf(trust, textOfChange(trust, change), { now, signatures })
  if (typeof signers === 'string') return { refused: signers }
  if (signers === 1) return { refused: 'One operator signed it; two do, or nobody and it waits.' }
  const effectiveFrom = new Date(signers >= 2 ? now : now + WAIT_MS).toISOString()
  if (change.add === 'key') {
    const { operator, key } = change
    if (trust.keys.some((one) => one.key === key)) return { refused: 'This key is known already.' }
    const keys = [...trust.keys, { operator, key, effectiveFrom }]
    return { trust: { ...next, keys }, effectiveFrom }
  }
  const { witnesses = [] } = trust
  const list = { destination: trust.destinations, treasury: trust.treasury, witness: witnesses }[
    change.add
  ]
  if (list.some((one) => one.address === change.address)) {
    return { refused: 'This address is there already; remove it first.' }
  }
  return { trust: { ...next, ...grownBy(trust, change, effectiveFrom) }, effectiveFrom }
}

function grownBy(
  { destinations, treasury, witnesses = [] }: Trust,
  change: Exclude<Extract<Change, { add: string }>, { add: 'key' }>,
  effectiveFrom: string,
): Partial<Trust> {
  const entry = { address: change.address, effectiveFrom }
  if (change.add === 'treasury') {
    const { hourlyTrx, dailyTrx } = change
    return { treasury: [...treasury, { ...entry, hourlyTrx, dailyTrx }] }
  }
  return change.add === 'witness'
    ? { witnesses: [...witnesses, entry] }
    : { destinations: [...destinations, entry] }
}

function removed(
  next: Trust,
  trust: Trust,
  change: Extract<Change, { remove: string }>,
  now: number,
): Changed {
  const before = { ...trust, witnesses: trust.witnesses ?? [] }
  const isOther = (one: { address: string }) =>
    change.remove === 'key' || one.address !== change.address
  const without = {
    key: () => ({ keys: trust.keys.filter(({ key }) => !('key' in change) || key !== change.key) }),
    destination: () => ({ destinations: before.destinations.filter(isOther) }),
    treasury: () => ({ treasury: before.treasury.filter(isOther) }),
    witness: () => ({ witnesses: before.witnesses.filter(isOther) }),
  }[change.remove]()
  const gone = Object.entries(without).some(
    ([name, list]) => list.length < before[name as 'keys' | 'treasury'].length,
  )
  if (!gone) return { refused: 'There is no such entry.' }
  return { trust: { ...next, ...without }, effectiveFrom: new Date(now).toISOString() }
}

/** Number of operators who signed with valid keys; two keys of one operator count once. */
function signersOf(
  trust: Trust,
  text: string,
  { now, signatures }: { now: number; signatures: readonly ChangeSignature[] },
): number | string {
  const operators = operatorsAt(trust, now)
  const signed = new Set<string>()
  for (const { key, signature } of signatures) {
    const operator = operators.get(key)
    if (!operator) return `The key ${key} is not one that counts now.`
    if (!isSignatureOf(text, key, signature)) return `The signature of ${operator} does not fit.`
    signed.add(operator)
  }
  return signed.size
}
