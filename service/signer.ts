import {
  assertOwnSessions,
  createApart,
  type Db,
  type Lease,
  openDb,
  readBusinessTime,
} from './db/index.ts'
import {
  CannotStart,
  createLog,
  createLoop,
  environment,
  type Log,
  type Loop,
  type MovableClock,
  type Runtime,
  readSettings,
  type Settings,
  systemRuntime,
  within,
} from './kernel/index.ts'
import { answerRequests } from './signer/answer.ts'
import { createDesks } from './signer/desk.ts'
import { createDestinations } from './signer/destinations.ts'
import { createGate } from './signer/gate.ts'
import { type KeyRing, openKeyRing } from './signer/keyRing.ts'
import { holdLease, LeaseTaken } from './signer/oneSigner.ts'
import { type Caps, capsOf, readSignedSums } from './signer/signedSums.ts'
import {
  publishAddress,
  publishDepositRoot,
  publishPayoutLimit,
  readWanted,
  WILL_WAKE,
} from './signing/index.ts'

const STOP_MS_MAX = 10_000

/**
 * The signer: the only program that holds private keys. It has its own database role, no HTTP
 * client and no port. It reads requests, judges them by its own policy, and writes signatures.
 */

async function publish(db: Db, { hot, stakes, depositAddressAt }: KeyRing, { payout }: Caps) {
  await db.query(publishPayoutLimit, [payout.hour, payout.day])
  await db.query(publishDepositRoot, [depositAddressAt(0)])
  await db.query(publishAddress, [hot, 'hot', 0, null])
  for (const [position, [stake, permission]] of [...stakes].entries()) {
    await db.query(publishAddress, [stake, 'stake', position, permission])
  }
}

/** Publishes its addresses and its limit of payouts, and answers requests, one round at a time. */
export async function openSigner(parts: {
  db: Db
  runtime: Runtime
  log: Log
  ring: KeyRing
  settings: Settings
  /** Undefined only in tests, where no other signer can run. */
  lease: Lease | undefined
}): Promise<{ answerRequests(): Promise<number>; publishDestinations(): Promise<void> }> {
  const { db, runtime, log, ring, settings, lease } = parts
  const caps = capsOf(settings)
  await publish(db, ring, caps)
  const destinations = createDestinations({ db, log, folder: settings.SIGNER_DIR })
  await destinations.publish()
  const sums = await readSignedSums(db, runtime, caps)
  const desks = createDesks(parts)
  if (settings.SIGNER_DIR) await desks.trouble()
  const apartOf = (kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop: 'signer.answer', kind })
  const aparts = { requests: apartOf('request'), answers: apartOf('answer') }
  const gate = createGate({ db, log, clock: runtime.clock, folder: settings.SIGNER_DIR })
  // Looks at the head now, so that the first request does not wait for the next one.
  await gate.isOpen()
  const signer = { db, runtime, log, ring, sums, lease, desks, gate, aparts }
  return {
    answerRequests: () => answerRequests(signer),
    publishDestinations: destinations.publish,
  }
}

/** One that runs apart has to look often: what is bought waits for its signature. */
const LOOK_MS = { child: 1_000, apart: 250 }
/** A parent that looks for its work says so; the child looks by itself in case a wake-up is lost. */
const REST_MS = 10_000

export type RunningSigner = Pick<Loop, 'wake' | 'notice' | 'stop'>

/** Holds the lease and answers requests until it is stopped. */
export async function startSigner(parts: {
  settings: Settings
  runtime: Runtime & { clock: MovableClock }
  log: Log
  everyMs: number
  onSigned(): void
  /** Another signer holds the lease: this one may not go on. */
  onTaken(error: LeaseTaken): never
}): Promise<RunningSigner> {
  const { settings, runtime, log, everyMs, onSigned, onTaken } = parts
  const ring = openKeyRing(settings)
  const urls = settings.DATABASE_SIGNER_URL
  await assertOwnSessions(urls, runtime)
  const db = await openDb({ urls, connections: 2, runtime, log, name: 'ergon-signer' })
  await readBusinessTime(db, runtime.clock)
  const session = `ergon-signer-lease/${Buffer.from(runtime.random.bytes(6)).toString('hex')}`
  let lease = await holdLease(urls, session)
  let signer = await openSigner({ db, runtime, log, ring, settings, lease })
  const loop = createLoop({
    name: 'signer.answer',
    everyMs,
    restMs: REST_MS,
    log,
    async work() {
      if (!lease.isHeld()) {
        log.warn('signer_lease_lost')
        lease = await holdLease(urls, session).catch((error) => {
          if (error instanceof LeaseTaken) onTaken(error)
          throw error
        })
        // Another signer may have signed meanwhile: read the sums again.
        signer = await openSigner({ db, runtime, log, ring, settings, lease })
      }
      await signer.publishDestinations()
      const [row] = await db.query(readWanted)
      if (!row!.wanted) return 0
      const answered = await signer.answerRequests()
      if (answered > 0) onSigned()
      return answered
    },
  })
  loop.start()
  return {
    wake: loop.wake,
    notice: loop.notice,
    async stop() {
      await loop.stop()
      await lease.end()
      await db.close()
    },
  }
}

/** Runs until its parent exits or it gets a signal. */
export async function runSigner(runtime: Runtime & { clock: MovableClock }) {
  const settings = readSettings(environment())
  const log = createLog(settings.LOG_LEVEL)
  if (settings.DATABASE_SIGNER_URL.length === 0) throw new CannotStart('Set DATABASE_SIGNER_URL.')
  const signer = await startSigner({
    settings,
    runtime,
    log,
    everyMs: process.send ? LOOK_MS.child : LOOK_MS.apart,
    onSigned: () => process.send?.('signed'),
    onTaken: end,
  })
  process.on('message', (message) => (message === WILL_WAKE ? signer.notice(false) : signer.wake()))
  const stop = async () => {
    const ended = signer.stop().then(() => 0)
    // A database that hangs must not keep the signer.
    process.exit(await within(STOP_MS_MAX, ended, 1))
  }
  // A child ends with its parent: the channel closes even when the parent was killed.
  process.on('disconnect', () => void stop())
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  process.send?.('ready')
}

function end(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}

if (import.meta.main) await runSigner(systemRuntime()).catch(end)
