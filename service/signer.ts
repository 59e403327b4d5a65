import { readFileSync } from 'node:fs'
import { addressOfPrivateKey, decodeRaw, privateKeyAt, sign } from '@ergon/tron'
import { type Db, openDb, readBusinessTime } from './db/index.ts'
import {
  CannotStart,
  createLog,
  createLoop,
  type Doors,
  environment,
  type Log,
  type MovableClock,
  readSettings,
  systemDoors,
} from './kernel/index.ts'
import {
  insertAnswer,
  objectionTo,
  publishAddress,
  signedSince,
  type WaitingRow,
  waitingRequests,
} from './signing/index.ts'

/**
 * The signer: the only program that holds private keys. It has its own database role, no HTTP
 * client and no port. It reads requests, judges them by its own policy, and writes signatures.
 */

/** Treasury keys lie under account 2' of the mnemonic, deposit keys under 1'; 0' is never used. */
const TREASURY_ACCOUNT = 2
const HOT_POSITION = 0
const STAKE_POSITIONS = [1]
const BATCH = 100
const HOUR_MS = 3_600_000
const SUN_PER_TRX = 1_000_000n

type Keys = Map<string, string>
type KeyRing = { keys: Keys; hot: string; stakes: string[] }

export function readKeys(file: string): KeyRing {
  let mnemonic: string
  try {
    mnemonic = readFileSync(file, 'utf8').trim()
  } catch {
    throw new CannotStart(
      `The mnemonic file ${file || '(none)'} cannot be read; set SIGNER_MNEMONIC_FILE.`,
    )
  }
  const keys: Keys = new Map()
  const add = (position: number) => {
    const key = privateKeyAt(mnemonic, position, TREASURY_ACCOUNT)
    const address = addressOfPrivateKey(key)
    keys.set(address, key)
    return address
  }
  return { keys, hot: add(HOT_POSITION), stakes: STAKE_POSITIONS.map(add) }
}

async function publish(db: Db, hot: string, stakes: string[]) {
  await db.query(publishAddress, [hot, 'hot', 0])
  for (const [position, stake] of stakes.entries()) {
    await db.query(publishAddress, [stake, 'stake', position])
  }
}

type Signer = {
  db: Db
  doors: Doors
  log: Log
  keys: Keys
  stakes: Set<string>
  hourly: HourlySum
  perHourMax: bigint
}

async function answerRequests(signer: Signer): Promise<number> {
  const { log, keys, stakes, hourly, perHourMax } = signer
  const waiting = await signer.db.query(waitingRequests, [BATCH])
  for (const request of waiting) {
    const objection = judge(request, {
      stakeAddresses: stakes,
      delegatedThisHour: hourly.total(),
      delegatedPerHourMax: perHourMax,
    })
    const key = keys.get(request.owner)
    if (objection || !key) {
      const reason = objection ?? 'no key for this owner'
      log.warn('signature_refused', { txid: request.txid, reason })
      await answer(signer, request.id, 'refused', null, reason)
      continue
    }
    if (request.purpose === 'delegate') hourly.add(stakeOf(request.raw))
    await answer(signer, request.id, 'signed', sign(request.txid, key), null)
  }
  return waiting.length
}

/** Bytes that cannot be decoded are an objection like any other. */
function judge(request: WaitingRow, context: Parameters<typeof objectionTo>[1]) {
  try {
    return objectionTo(request, context)
  } catch (error) {
    return `the bytes cannot be read: ${(error as Error).message}`
  }
}

/** What was delegated in the last hour. Read from the database once, then kept in memory. */
type HourlySum = { add(amount: bigint): void; total(): bigint }

async function readHourlySum(db: Db, doors: Doors): Promise<HourlySum> {
  const now = () => doors.clock.wallMs()
  const signed = await db.query(signedSince, ['delegate', new Date(now() - HOUR_MS)])
  const parts = signed.map(({ raw, at }) => ({ at: at.getTime(), amount: stakeOf(raw) }))
  let sum = parts.reduce((total, part) => total + part.amount, 0n)
  return {
    add(amount) {
      parts.push({ at: now(), amount })
      sum += amount
    },
    total() {
      while (parts[0] && parts[0].at < now() - HOUR_MS) sum -= parts.shift()!.amount
      return sum
    },
  }
}

function stakeOf(rawBytes: Uint8Array): bigint {
  const { contract } = decodeRaw(rawBytes)
  return contract.type === 'DelegateResourceContract' ? contract.value.balance : 0n
}

async function answer(
  { db, doors }: Signer,
  id: string,
  state: 'signed' | 'refused',
  signature: string | null,
  reason: string | null,
) {
  const at = new Date(doors.clock.wallMs())
  await db.query(insertAnswer, [id, state, signature, reason, at])
}

/** Publishes its addresses and answers requests, one round at a time. */
export async function openSigner(parts: {
  db: Db
  doors: Doors
  log: Log
  ring: KeyRing
  perHourMax: bigint
}): Promise<{ answerRequests(): Promise<number> }> {
  const { db, doors, log, perHourMax } = parts
  const { keys, hot, stakes } = parts.ring
  await publish(db, hot, stakes)
  const hourly = await readHourlySum(db, doors)
  const signer = { db, doors, log, keys, stakes: new Set(stakes), hourly, perHourMax }
  return { answerRequests: () => answerRequests(signer) }
}

/** Runs until its parent goes away or it is told to stop. */
export async function runSigner(doors: Doors & { clock: MovableClock }) {
  const settings = readSettings(environment())
  const log = createLog(settings.LOG_LEVEL)
  if (!settings.DATABASE_SIGNER_URL) throw new CannotStart('Set DATABASE_SIGNER_URL.')
  const ring = readKeys(settings.SIGNER_MNEMONIC_FILE)
  const urls = [settings.DATABASE_SIGNER_URL]
  const db = await openDb({ urls, connections: 2, doors, log, name: 'ergon-signer' })
  await readBusinessTime(db, doors.clock)
  const perHourMax = BigInt(settings.SIGNER_HOURLY_TRX_MAX) * SUN_PER_TRX
  const signer = await openSigner({ db, doors, log, ring, perHourMax })
  const loop = createLoop({
    name: 'signer.answer',
    everyMs: 250,
    log,
    async work() {
      const answered = await signer.answerRequests()
      if (answered > 0) process.send?.('signed')
      return answered
    },
  })
  loop.start()
  process.on('message', () => loop.wake())
  const stop = async () => {
    await loop.stop()
    await db.close()
    process.exit(0)
  }
  // As a child it lives and dies with its parent: the channel closes even when that one was killed.
  process.on('disconnect', () => void stop())
  process.on('SIGTERM', () => void stop())
  process.send?.('ready')
}

if (import.meta.main) {
  try {
    await runSigner(systemDoors())
  } catch (error) {
    console.error(error instanceof CannotStart ? error.message : error)
    process.exit(1)
  }
}
