import { createApart, type Db, type Tx } from '../../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../../kernel/index.ts'
import type { Marketplace, Providers } from '../../providers/index.ts'
import { compareBalance, compareOrders, isQuiet } from './compare.ts'
import { daysBefore, nextNight } from './night.ts'
import { readPages, troubleOr } from './readPages.ts'
import {
  addSources,
  claimSource,
  failSource,
  finishSource,
  holdSource,
  releaseSource,
  type SourceRow,
  skipSource,
} from './run.sql.ts'

const EVERY_MS = 60_000
/** Between rounds of a reading that takes many. */
const AFTER_WORK_MS = 250
/** Days that are read and compared again: a marketplace may change or refund an order later. */
const OVERLAP_DAYS = 2
const RETRY_MS = 600_000
/** After so many tries the first balance is taken also while orders are under way. */
const TRIES_MAX = 6

const STATEMENTS_DUE = `exists (
  select from books.statement_source
   where due_at <= $1 and (leased_until is null or leased_until <= clock_timestamp()))`

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  providers: Pick<Providers, 'marketplaces' | 'mayCall'>
  toppedUp: ToppedUp
}

/** What we have ever paid in at a marketplace: what it has credited, and what it may not have credited yet. */
export type ToppedUp = (tx: Tx, provider: string) => Promise<{ arrived: bigint; pending: bigint }>

/** The nightly comparison: each marketplace by itself, leased by one worker, in rounds that a crash does not undo. */
export function createStatementLoop({ db, runtime, log, providers, toppedUp }: Deps): Loop {
  const { clock } = runtime
  const { marketplaces } = providers
  const names = [...marketplaces.keys()]
  const apart = createApart({ db, clock, log }, { loop: 'books.statements', kind: 'statement' })

  async function retryLater({ provider }: SourceRow, lease: string, trouble: string) {
    log.warn('statement_unread', { provider, reason: trouble })
    const again = new Date(clock.now().getTime() + RETRY_MS)
    await db.query(failSource, [provider, lease, again, trouble])
  }

  async function byOrders(market: Marketplace, source: SourceRow, lease: string): Promise<void> {
    const { provider, beganAt, readUpto } = source
    const from = daysBefore(readUpto ?? beganAt, OVERLAP_DAYS)
    const reading = await readPages({ db, runtime, providers }, market, { source, lease, from })
    if (reading === 'lost') return
    if (reading === 'later') return void (await db.query(releaseSource, [provider, lease]))
    if (reading !== 'ended') return retryLater(source, lease, reading.trouble)
    await runtime.step(`compare ${provider}`)
    await db.transaction(async (tx) => {
      if ((await tx.query(holdSource, [provider, lease])).length === 0) return
      const openSince = await compareOrders(tx, runtime, source, from)
      const next = [nextNight(clock.now()), clock.now(), beganAt, openSince]
      await tx.query(finishSource, [provider, lease, ...next])
    })
  }

  async function byBalance(market: Marketplace, source: SourceRow, lease: string): Promise<void> {
    const { provider, failures } = source
    await providers.mayCall(provider, 'look')
    const at = new Date(clock.wallMs())
    const answer = await troubleOr(() => market.readBalance!())
    if ('trouble' in answer) return retryLater(source, lease, answer.trouble)
    const done = await db.transaction(async (tx) => {
      const [anchor] = await tx.query(holdSource, [provider, lease])
      if (!anchor) return true
      const mayBegin = anchor.anchorAt !== null || failures >= TRIES_MAX
      const { arrived, pending } = await toppedUp(tx, provider)
      if (!mayBegin && (pending > 0n || !(await isQuiet(tx, provider, at)))) return false
      // Without what was paid in, a balance only falls by what was charged.
      const read = { anchor, balance: answer.value - arrived, at, pending }
      await compareBalance(tx, { runtime, lease }, source, read)
      const next = [nextNight(clock.now()), clock.now(), at, null]
      await tx.query(finishSource, [provider, lease, ...next])
      return true
    })
    if (!done)
      await retryLater(
        source,
        lease,
        'its first balance is taken while no order and no top-up is open',
      )
  }

  async function compare(source: SourceRow, lease: string): Promise<void> {
    const market = marketplaces.get(source.provider)!
    if (source.way === 'orders') return byOrders(market, source, lease)
    if (source.way === 'balance') return byBalance(market, source, lease)
    await db.query(skipSource, [source.provider, lease, nextNight(clock.now())])
  }

  return createLoop({
    name: 'books.statements',
    everyMs: EVERY_MS,
    afterWorkMs: AFTER_WORK_MS,
    due: STATEMENTS_DUE,
    log,
    async work() {
      if (names.length === 0) return 0
      const now = clock.now()
      await db.query(addSources, [names, names.map(wayOf), now, nextNight(now)])
      const done = await apart.each(names, (name) => name, compareDue)
      return done.filter((isDue) => isDue).length
    },
  })

  /** Each is leased by itself: a row that cannot be written is one marketplace's. */
  async function compareDue(name: string): Promise<boolean> {
    const lease = runtime.ids.next()
    const wall = new Date(clock.wallMs())
    const [source] = await db.query(claimSource, [name, clock.now(), lease, wall])
    if (!source) return false
    try {
      await compare(source, lease)
    } catch (error) {
      // Otherwise the next try would find it leased, and take that for nothing to do.
      await db.query(releaseSource, [name, lease]).catch(() => {})
      throw error
    }
    return true
  }

  function wayOf(name: string): SourceRow['way'] {
    const market = marketplaces.get(name)!
    if (market.readStatement) return 'orders'
    return market.readBalance ? 'balance' : 'none'
  }
}
