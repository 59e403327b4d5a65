import { join } from 'node:path'
import { parseAddress } from '@ergon/tron'
import { CannotStart } from '../kernel/index.ts'
import { isApprovalKey } from '../signing/index.ts'
import { createOwnFile, readOwnFile, replaceOwnFile } from './ownFile.ts'

/** Each entry is valid from a time on. An entry that one operator added alone waits, so that others can notice it. */
type Entry = { effectiveFrom: string }
export type OperatorKey = Entry & { operator: string; key: string }
export type Destination = Entry & { address: string }
/** A destination of the treasury that needs no approval, with its limits in TRX. */
export type TreasuryDestination = Destination & { hourlyTrx: number; dailyTrx: number }

/** Approval keys and destinations that the signer accepts. The file is changed only on the signer's machine. */
export type Trust = {
  version: 1
  chain: string
  hot: string
  /** Number of changes so far. Two operators sign the next number, so a signed change works once. */
  changes: number
  keys: OperatorKey[]
  destinations: Destination[]
  treasury: TreasuryDestination[]
  /** Witnesses that stakes vote for. Files of earlier versions have none. */
  witnesses?: Destination[]
}

const pathIn = (folder: string) => join(folder, 'trust.json')
const TRX_MAX = 999_999_999
export const SUN_PER_TRX = 1_000_000n

export function createTrust(folder: string, trust: Trust): void {
  createOwnFile(pathIn(folder), textOf(trust))
}

export function writeTrust(folder: string, trust: Trust): void {
  replaceOwnFile(pathIn(folder), textOf(trust))
}

const textOf = (trust: Trust) => `${JSON.stringify(checked(trust, 'The new file'), null, 2)}\n`

/** Read for each batch, so that a removed key stops counting at once. */
export function readTrust(folder: string): Trust {
  const path = pathIn(folder)
  const text = readOwnFile(path)
  try {
    return checked(JSON.parse(text), path)
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart(`${path} is not JSON.`)
  }
}

function checked(trust: Trust, path: string): Trust {
  const isEntry = ({ effectiveFrom }: Entry) => !Number.isNaN(Date.parse(effectiveFrom))
  // Base58 as in approvals: the same address in hex would be another text.
  const isAddress = (text: unknown) =>
    typeof text === 'string' && text.startsWith('T') && parseAddress(text) !== undefined
  const isCap = (trx: number) => Number.isInteger(trx) && trx > 0 && trx <= TRX_MAX
  const isWhole =
    trust?.version === 1 &&
    /^[0-9a-f]{64}$/.test(trust.chain) &&
    isAddress(trust.hot) &&
    Number.isSafeInteger(trust.changes) &&
    trust.keys.every((one) => isEntry(one) && isOperator(one.operator) && isApprovalKey(one.key)) &&
    trust.destinations.every((one) => isEntry(one) && isAddress(one.address)) &&
    trust.treasury.every(
      (one) =>
        isEntry(one) && isAddress(one.address) && isCap(one.hourlyTrx) && isCap(one.dailyTrx),
    ) &&
    (trust.witnesses ?? []).every((one) => isEntry(one) && isAddress(one.address))
  if (!isWhole) throw new CannotStart(`${path} is not a file of the signer's trust, version 1.`)
  return trust
}

/** An operator's name is the e-mail address of the sign-in, so that one person has one name. */
export const isOperator = (name: unknown) =>
  typeof name === 'string' && /^[a-z0-9][a-z0-9.+_-]{0,63}@[a-z0-9.-]{3,99}$/.test(name)

const holds = (now: number) => (entry: Entry) => Date.parse(entry.effectiveFrom) <= now

/** The operator of each key that is valid at this time. */
export function operatorsAt(trust: Trust, now: number): Map<string, string> {
  return new Map(trust.keys.filter(holds(now)).map(({ key, operator }) => [key, operator]))
}

export function isAllowedAt(trust: Trust, address: string, now: number): boolean {
  return trust.destinations.filter(holds(now)).some((one) => one.address === address)
}

export function witnessesAt(trust: Trust, now: number): string[] {
  return (trust.witnesses ?? []).filter(holds(now)).map(({ address }) => address)
}

export function treasuryAt(trust: Trust, now: number): TreasuryDestination[] {
  return trust.treasury.filter(holds(now))
}
