import { parseAddress, txId } from '@ergon/tron'
import { type Db, readBusinessTime } from '../db/index.ts'
import type { Log, MovableClock, Runtime, Settings } from '../kernel/index.ts'
import {
  approvalsOf,
  findAnswered,
  type Limits,
  missingInFile,
  needsApproval,
  newCancellations,
  setRecorded,
  type WaitingRow,
} from '../signing/index.ts'
import type { KeyRing } from './keyRing.ts'
import { type PayoutLog, readPayoutLog, recordCancellation, recordPayout } from './payoutLog.ts'
import { objectionToAttempt, type PayoutGround } from './payouts.ts'
import type { SignedSums } from './signedSums.ts'
import {
  operatorsAt,
  readTrust,
  SUN_PER_TRX,
  type Trust,
  treasuryAt,
  witnessesAt,
} from './trust.ts'

/** The signer's own files for judging one batch. */
export type Desk = {
  /** The signer has written the request's line already: signing the same bytes again gives the same transaction. */
  knows(request: WaitingRow): boolean
  objectionTo(request: WaitingRow): string | undefined
  /** Writes the request's line to the disk. False: it was not written, and the caller must not sign. */
  record(request: WaitingRow): Promise<boolean>
  treasury(sums: SignedSums): ReadonlyMap<string, Limits>
  witnesses(): ReadonlySet<string>
}

const NO_TREASURY: ReadonlyMap<string, Limits> = new Map()
const NO_WITNESSES: ReadonlySet<string> = new Set()
/** Judged by the signer's files, with no approval. */
const BY_FILE = ['treasury', 'vote']
const CANCELLATIONS = 100

type Deps = { db: Db; runtime: Runtime; log: Log; ring: KeyRing; settings: Settings }

export function createDesks({ db, runtime, log, ring, settings }: Deps) {
  const folder = settings.SIGNER_DIR
  const reported = new Map<'files' | 'line' | 'cancellation', string | undefined>()

  /** Logs each trouble once, not with every batch. */
  function tell(of: 'files' | 'line' | 'cancellation', reason: string | undefined) {
    if (reason && reason !== reported.get(of)) log.error('payouts_not_signed', { reason })
    reported.set(of, reason)
  }

  /** The signer's own clock; in the sandbox, where time is moved, the database's. */
  async function now(): Promise<number> {
    if (settings.MODE === 'production') return runtime.clock.wallMs()
    if ('setAheadMs' in runtime.clock) await readBusinessTime(db, runtime.clock as MovableClock)
    return runtime.clock.now().getTime()
  }

  function readFiles(): { trust: Trust; payouts: PayoutLog } | string {
    if (!folder) return 'the signer has no file of payouts: SIGNER_DIR is not set'
    try {
      const trust = readTrust(folder)
      const payouts = readPayoutLog(folder)
      const isOurs = parseAddress(trust.hot) === ring.hot
      if (!isOurs || payouts.hot !== trust.hot || payouts.chain !== trust.chain) {
        return "the signer's files are of another hot wallet or chain"
      }
      return { trust, payouts }
    } catch (error) {
      return `the signer's file is missing or unreadable: ${(error as Error).message}`
    }
  }

  /** Reads the files. If the database holds answers of the signer that they lack, they are old copies. */
  async function readCurrentFiles(): Promise<{ trust: Trust; payouts: PayoutLog } | string> {
    const files = readFiles()
    if (typeof files === 'string') return files
    const { txids, cancelled } = files.payouts
    const [missing] = await db.query(missingInFile, [[...txids], [...cancelled]])
    if (!missing) return files
    return `the signer's file is older than the database: ${missing.what} is not in it`
  }

  async function open(requests: readonly WaitingRow[]): Promise<Desk> {
    const payouts = requests.filter(({ purpose }) => needsApproval(purpose))
    const isNeeded = payouts.length > 0 || requests.some(({ purpose }) => BY_FILE.includes(purpose))
    if (!isNeeded) return closedDesk('not a payout')
    const files = await readCurrentFiles()
    tell('files', typeof files === 'string' ? files : undefined)
    if (typeof files === 'string') return closedDesk(files)
    const time = await now()
    const keys = [...operatorsAt(files.trust, time).keys()]
    const ids = payouts.flatMap(({ payout }) => payout ?? [])
    const approvals = await db.query(approvalsOf, [ids, keys])
    return openDesk({ ...files, approvals, time })
  }

  function openDesk(given: {
    trust: Trust
    payouts: PayoutLog
    approvals: PayoutGround['approvals']
    time: number
  }): Desk {
    const { trust, approvals, time } = given
    let { payouts } = given
    return {
      knows({ txid, raw, payout, attempt }) {
        const own = payouts.own.get(txid)
        const isSame = own?.payout === payout && own?.attempt === Number(attempt)
        return isSame && txId(raw) === txid
      },
      objectionTo: (request) =>
        objectionToAttempt(request, { trust, log: payouts, approvals, now: time }),
      // A failed write may have reached the disk: the next batch finds it, or writes again.
      async record({ payout, attempt, txid, expiresAt }) {
        const signed = { payout: payout!, attempt: Number(attempt), txid }
        try {
          await runtime.step('signer.beforeLine')
          recordPayout(folder, { ...signed, expiration: expiresAt.getTime() })
          await runtime.step('signer.afterLine')
          payouts = readPayoutLog(folder)
        } catch (error) {
          tell('line', `payout ${payout} cannot be written down: ${(error as Error).message}`)
          return false
        }
        tell('line', undefined)
        return true
      },
      treasury: (sums) => treasuryLimits(trust, time, sums),
      witnesses: () => new Set(witnessesAt(trust, time).map((one) => parseAddress(one)!)),
    }
  }

  /** Writes cancellations to the file, also while signing is off. Returns their number. */
  async function recordCancellations(): Promise<number> {
    if (!folder) return 0
    const asked = await db.query(newCancellations, [CANCELLATIONS])
    if (asked.length === 0) return 0
    const files = await readCurrentFiles()
    tell('files', typeof files === 'string' ? files : undefined)
    if (typeof files === 'string') return 0
    const ids = await cancellable(
      asked.map(({ payout }) => payout),
      files.payouts,
    )
    const news = ids.filter((id) => !files.payouts.cancelled.has(id))
    try {
      await runtime.step('signer.beforeCancellation')
      for (const id of news) recordCancellation(folder, id)
    } catch (error) {
      // Other requests are still signed.
      tell('cancellation', `a cancellation cannot be written down: ${(error as Error).message}`)
      return 0
    }
    await runtime.step('signer.afterCancellation')
    await db.query(setRecorded, [ids, new Date(runtime.clock.wallMs())])
    return ids.length
  }

  /**
   * Excludes payouts with a line whose answer the database lacks (not written yet, or after a restore):
   * they may be on the chain, and a cancellation would refund them.
   */
  async function cancellable(ids: string[], payouts: PayoutLog): Promise<string[]> {
    const signed = ids.flatMap((id) => payouts.lastOf(id) ?? [])
    const rows = await db.query(findAnswered, [signed.map(({ txid }) => txid)])
    const known = new Set(rows.map(({ txid }) => txid))
    const unknownToDatabase = signed.filter(({ txid }) => !known.has(txid))
    const [first] = unknownToDatabase
    const why = first && `payout ${first.payout} was signed as ${first.txid}, which the database`
    tell(
      'cancellation',
      why && `${why} does not know: it is not cancelled. Look for it on the chain.`,
    )
    return ids.filter((id) => !unknownToDatabase.some(({ payout }) => payout === id))
  }

  return {
    open,
    recordCancellations,
    /** Why payouts cannot be signed now; undefined when they can. */
    async trouble(): Promise<string | undefined> {
      const files = await readCurrentFiles()
      tell('files', typeof files === 'string' ? files : undefined)
      return reported.get('files')
    },
  }
}

function closedDesk(reason: string): Desk {
  return {
    knows: () => false,
    objectionTo: () => reason,
    record: async () => false,
    treasury: () => NO_TREASURY,
    witnesses: () => NO_WITNESSES,
  }
}

function treasuryLimits(trust: Trust, now: number, sums: SignedSums) {
  return new Map(
    treasuryAt(trust, now).map(({ address, hourlyTrx, dailyTrx }) => {
      const to = parseAddress(address)!
      const cap = {
        hour: BigInt(hourlyTrx) * SUN_PER_TRX,
        day: BigInt(dailyTrx) * SUN_PER_TRX,
      }
      return [to, sums.treasuryLimits(to, cap)] as const
    }),
  )
}
