import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseAddress } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import { formatTrx, type Runtime } from '../kernel/index.ts'
import {
  isNearHead,
  knownCancellations,
  knownPayouts,
  type OutflowRow,
  openOutflows,
  turnSigningOn,
} from '../signing/index.ts'
import {
  appendRecovered,
  createPayoutLog,
  type PayoutLog,
  type RecoveredLines,
  readPayoutLog,
} from './payoutLog.ts'
import { readTrust } from './trust.ts'

/** `unseen` are findings that the operator has to look at and name; `booked` are counted only. */
export type Confirmed =
  | { confirmed: true; findings: number; lines: number; rebuilt: boolean }
  | { confirmed: false; why: string; unseen: OutflowRow[]; booked: number }

type Signer = { db: Db; runtime: Runtime; folder: string }
type Word = { by: string; why: string; seen: readonly string[]; booked: number }

const refused = (why: string, unseen: OutflowRow[] = [], booked = 0): Confirmed => ({
  confirmed: false,
  why,
  unseen,
  booked,
})

/**
 * Ends a recovery, with the signer's role and files. What the service booked counts only where no TRX can
 * have left by it, or where the signer's own file has the payout; every other finding is named by the
 * operator, who also says how many need no name. The file gets its missing lines before signing is on again.
 * Without a finding the switch stays as it is: somebody else has turned it.
 */
export async function confirmRecovery(signer: Signer, word: Word): Promise<Confirmed> {
  const { by, why, seen } = word
  const { db, runtime, folder } = signer
  if (!folder) return refused("Say where the signer's files are: --dir FOLDER, or SIGNER_DIR.")
  const [at] = await db.query(isNearHead)
  if (!at?.near) return refused("The scanner is not near the node's head yet.")
  const found = await db.query(openOutflows)
  const files = readFiles(folder)
  const other = found.find((one) => isOfOtherPayout(one, files.log))
  if (other) {
    const known = files.log!.own.get(other.txid)!
    return refused(
      `${other.txid} was booked as payout ${other.payout}, and the signer signed it for payout ${known.payout}. Correct the balances (adjust), settle it with signer on --seen, then confirm the others.`,
    )
  }
  const isClear = (one: OutflowRow) =>
    seen.includes(one.txid) || (one.bookedAs !== null && isHarmless(one, files))
  const unseen = found.filter((one) => !isClear(one))
  const booked = found.filter((one) => isClear(one) && !seen.includes(one.txid))
  const sentence = booked.length === 0 ? '' : textOfBooked(booked)
  if (unseen.length > 0) {
    const name = 'Look at these, then name them: --seen TXID,TXID'
    return refused(sentence ? `${name}. ${sentence}` : name, unseen, booked.length)
  }
  if (booked.length !== word.booked) {
    return refused(sentence || 'Nothing was booked without a name.', [], booked.length)
  }
  const lines = await writeMissing(signer, files, found)
  if (found.length === 0) return { confirmed: true, findings: 0, ...lines }
  const all = found.map(({ txid }) => txid)
  const late = await turnSigningOn({ db, runtime }, { why, by, seen: all })
  if (late.length > 0) return refused('These were found meanwhile; run recover again.', late)
  return { confirmed: true, findings: found.length, ...lines }
}

/** The service says what they are, so a person compares the number with what `recover` has printed. */
function textOfBooked(booked: OutflowRow[]): string {
  const sum = booked.reduce((total, { amount }) => total + amount, 0n)
  return `${booked.length} findings of together ${formatTrx(sum)} TRX were booked and need no name: compare with what recover printed, then say --booked ${booked.length}`
}

type Files = { hot: string; chain: string; log: PayoutLog | undefined }

/** A missing trust file is made first: without it the signer knows nobody who could approve. */
function readFiles(folder: string): Files {
  const { hot, chain } = readTrust(folder)
  const isThere = existsSync(join(folder, 'payouts.jsonl'))
  return { hot, chain, log: isThere ? readPayoutLog(folder) : undefined }
}

function isOfOtherPayout({ txid, payout }: OutflowRow, log: PayoutLog | undefined): boolean {
  const line = log?.own.get(txid)
  return line !== undefined && payout !== null && line.payout !== payout
}

/** No TRX has left by it, or the signer itself has written it down. A payout is always the latter. */
function isHarmless(one: OutflowRow, files: Files) {
  const { txid, contract, address, to, amount, payout } = one
  const isOwn = files.log?.own.has(txid) === true
  if (payout !== null) return isOwn
  if (contract !== 'TransferContract') return contract.includes('DelegateResource')
  if (to === null && amount === 0n) return true
  const hot = parseAddress(files.hot)
  if (address !== hot && to === hot) return true
  return isOwn
}

/**
 * Lines of the database and of the chain that the file lacks. A transfer of the hot wallet that is not in it
 * means that others may be missing too: payouts wait.
 */
async function writeMissing(signer: Signer, { hot, chain, log }: Files, found: OutflowRow[]) {
  const { db, runtime, folder } = signer
  const payouts = (await db.query(knownPayouts)).map(({ payout, attempt, txid, expiresAt }) => {
    return { payout, attempt: Number(attempt), txid, expiration: expiresAt.getTime() }
  })
  const cancelled = (await db.query(knownCancellations)).map(({ payout }) => payout)
  const missing: RecoveredLines = {
    signed: payouts.filter(({ txid }) => !log?.txids.has(txid)),
    cancelled: cancelled.filter((payout) => !log?.cancelled.has(payout)),
    rebuiltAt: runtime.clock.now().getTime(),
  }
  const lines = missing.signed.length + missing.cancelled.length
  const from = parseAddress(hot)
  const isLacking = found.some(({ address, txid }) => address === from && !log?.txids.has(txid))
  const rebuilt = !log || lines > 0 || isLacking
  if (!log) createPayoutLog(folder, { chain, hot }, missing)
  else if (rebuilt) appendRecovered(folder, missing)
  return { lines, rebuilt }
}
