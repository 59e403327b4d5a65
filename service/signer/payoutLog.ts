import { join } from 'node:path'
import { CannotStart } from '../kernel/index.ts'
import { appendToOwnFile, createOwnFile, readOwnFile, truncateOwnFile } from './ownFile.ts'

/** A signature, written here before it may leave. */
export type SignedPayout = { payout: string; attempt: number; txid: string; expiration: number }

type Line =
  | ({ kind: 'signed' } & SignedPayout)
  | { kind: 'cancelled'; payout: string }
  | { kind: 'ergon payouts 1'; chain: string; hot: string }

/** The signer's own record of payouts, independent of the database. */
export type PayoutLog = {
  chain: string
  hot: string
  txids: ReadonlySet<string>
  cancelled: ReadonlySet<string>
  /** The last attempt of a payout that was signed. */
  lastOf(payout: string): SignedPayout | undefined
}

const pathIn = (folder: string) => join(folder, 'payouts.jsonl')

export function createPayoutLog(folder: string, of: { chain: string; hot: string }): void {
  createOwnFile(pathIn(folder), textOf({ kind: 'ergon payouts 1', ...of }))
}

export function recordPayout(folder: string, signed: SignedPayout): void {
  appendToOwnFile(pathIn(folder), textOf({ kind: 'signed', ...signed }))
}

export function recordCancellation(folder: string, payout: string): void {
  appendToOwnFile(pathIn(folder), textOf({ kind: 'cancelled', payout }))
}

/** Read at each use, so that a removed or restored file is noticed at once. */
export function readPayoutLog(folder: string): PayoutLog {
  const [head, ...lines] = linesOf(folder)
  if (head?.kind !== 'ergon payouts 1') throw unreadable(folder, 1)
  const last = new Map<string, SignedPayout>()
  const txids = new Set<string>()
  const cancelled = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'cancelled') cancelled.add(line.payout)
    else if (line.kind === 'signed') {
      last.set(line.payout, line)
      txids.add(line.txid)
    } else throw unreadable(folder, index + 2)
  }
  return { ...head, txids, cancelled, lastOf: (payout) => last.get(payout) }
}

function linesOf(folder: string): Line[] {
  const text = readOwnFile(pathIn(folder))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  // A line that a crash cut off: it was not complete on the disk, so its signature never left.
  if (whole.length < text.length) truncateOwnFile(pathIn(folder), Buffer.byteLength(whole))
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parse(line) ?? fail(folder, index + 1))
}

function parse(line: string): Line | undefined {
  try {
    const parsed = JSON.parse(line)
    return isLine(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isLine(line: Partial<Record<string, unknown>> | null): line is Line {
  const isText = (name: string) => typeof line?.[name] === 'string'
  if (line?.kind === 'cancelled') return isText('payout')
  if (line?.kind === 'ergon payouts 1') return isText('chain') && isText('hot')
  const isWhole = Number.isSafeInteger(line?.attempt) && Number.isSafeInteger(line?.expiration)
  return line?.kind === 'signed' && isText('payout') && isText('txid') && isWhole
}

function fail(folder: string, line: number): never {
  throw unreadable(folder, line)
}

function unreadable(folder: string, line: number) {
  return new CannotStart(`${pathIn(folder)} cannot be understood in line ${line}.`)
}

const textOf = (line: Line) => `${JSON.stringify(line)}\n`
