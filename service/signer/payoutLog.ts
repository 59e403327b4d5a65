import { join } from 'node:path'
import { CannotStart } from '../kernel/index.ts'
import { appendToOwnFile, createOwnFile, readOwnFile, truncateOwnFile } from './ownFile.ts'

/** A signature, written here before it may leave. */
export type SignedPayout = { payout: string; attempt: number; txid: string; expiration: number }

type Line =
  | ({ kind: 'signed' } & SignedPayout)
  | ({ kind: 'recovered' } & SignedPayout)
  | { kind: 'cancelled'; payout: string }
  | { kind: 'rebuilt'; at: number }
  | { kind: 'ergon payouts 1'; chain: string; hot: string }

/** The signer's own record of payouts, independent of the database. */
export type PayoutLog = {
  chain: string
  hot: string
  /** What the signer has signed by itself, by txid. Such bytes may be signed again. */
  own: ReadonlyMap<string, SignedPayout>
  /** With lines that were written from the database, which the service writes: they permit nothing. */
  signed: readonly SignedPayout[]
  txids: ReadonlySet<string>
  /** When lines that were lost were last written from the database and the chain. */
  rebuiltAt: number | undefined
  cancelled: ReadonlySet<string>
  /** The highest attempt of a payout that was signed. */
  lastOf(payout: string): SignedPayout | undefined
}

const pathIn = (folder: string) => join(folder, 'payouts.jsonl')

/** Lines that were lost. */
export type RecoveredLines = { signed: SignedPayout[]; cancelled: string[]; rebuiltAt: number }

export function createPayoutLog(
  folder: string,
  of: { chain: string; hot: string },
  recovered?: RecoveredLines,
): void {
  const head = textOf({ kind: 'ergon payouts 1', ...of })
  createOwnFile(pathIn(folder), head + (recovered ? textOfRecovered(recovered) : ''))
}

export function appendRecovered(folder: string, recovered: RecoveredLines): void {
  appendToOwnFile(pathIn(folder), textOfRecovered(recovered))
}

/** The mark comes first: lines that a crash cuts off must not be there without it. */
function textOfRecovered({ signed, cancelled, rebuiltAt }: RecoveredLines): string {
  return [
    textOf({ kind: 'rebuilt', at: rebuiltAt }),
    ...signed.map((one) => textOf({ kind: 'recovered', ...one })),
    ...cancelled.map((payout) => textOf({ kind: 'cancelled', payout })),
  ].join('')
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
  const own = new Map<string, SignedPayout>()
  const signed: SignedPayout[] = []
  const cancelled = new Set<string>()
  let rebuiltAt: number | undefined
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'cancelled') cancelled.add(line.payout)
    else if (line.kind === 'signed' || line.kind === 'recovered') {
      if (line.kind === 'signed') own.set(line.txid, line)
      if (isAfter(line, last.get(line.payout))) last.set(line.payout, line)
      signed.push(line)
    } else if (line.kind === 'rebuilt') rebuiltAt = line.at
    else throw unreadable(folder, index + 2)
  }
  const txids = new Set(signed.map(({ txid }) => txid))
  const lastOf = (payout: string) => last.get(payout)
  return { ...head, own, signed, txids, cancelled, rebuiltAt, lastOf }
}

/** Recovered lines come in any order. Of one attempt the bytes that can be mined longest count. */
function isAfter(line: SignedPayout, last: SignedPayout | undefined): boolean {
  if (!last || line.attempt !== last.attempt) return line.attempt > (last?.attempt ?? 0)
  return line.expiration >= last.expiration
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
  if (line?.kind === 'rebuilt') return Number.isSafeInteger(line.at)
  if (line?.kind === 'ergon payouts 1') return isText('chain') && isText('hot')
  const isWhole = Number.isSafeInteger(line?.attempt) && Number.isSafeInteger(line?.expiration)
  const isSigned = line?.kind === 'signed' || line?.kind === 'recovered'
  return isSigned && isText('payout') && isText('txid') && isWhole
}

function fail(folder: string, line: number): never {
  throw unreadable(folder, line)
}

function unreadable(folder: string, line: number) {
  return new CannotStart(`${pathIn(folder)} cannot be understood in line ${line}.`)
}

const textOf = (line: Line) => `${JSON.stringify(line)}\n`
