import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import type { Deposits } from '../deposits/index.ts'
import { formatTrx, type Runtime } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import { FORECAST_DAYS, type Forecast, forecastOf } from './forecast.ts'
import { readTurn, sentSince, sumRequested } from './store.ts'

/** The hot wallet by one solid block, with all that it is needed for. Amounts in SUN. */
export type Reading = {
  /** Another transfer since then makes the reading old. */
  turn: bigint
  /** Elapsed time at its beginning. */
  fromMs: number
  hot: bigint
  /** To clients, and the price of orders under way. */
  owed: bigint
  /** Of the reconciliation: solid money less what is owed. */
  surplus: bigint
  /** Left balances or was asked for, and may be on the hot wallet still; with room for fees. */
  underWay: bigint
  forecast: Forecast
}

/** For the fee of a transfer to an address that has no TRX yet and without Bandwidth. */
export const FEE_ROOM = 2_000_000n
const DAY_MS = 86_400_000

type Deps = { db: Db; runtime: Runtime; chain: () => Chain; deposits: Deposits; signing: Signing }

export function createReading({ db, runtime, chain, deposits, signing }: Deps) {
  const since = () => new Date(runtime.clock.now().getTime() - FORECAST_DAYS * DAY_MS)

  async function expected() {
    const from = since()
    const flows = await deposits.flows(from)
    const [sent] = await db.query(sentSince, [from])
    const [requested] = await db.query(sumRequested)
    const underWay = flows.underWay + requested!.amount + requested!.count * FEE_ROOM
    return { underWay, forecast: forecastOf(flows, sent!, runtime.clock.now()) }
  }

  return {
    /** Without the chain: for pages, beside the last reconciliation. */
    expected,

    /**
     * Everything by one solid block, or why nothing is moved now. What is under way is read before what is owed and after it,
     * and must be the same: a payout that is approved in between would count twice, one that is cancelled not at all.
     */
    async read(): Promise<Reading | { hold: string }> {
      const { node, progress } = chain()
      const hold = (await signing.recovery.reason()) ?? (await whySigningIsOff())
      if (hold) return { hold }
      const fromMs = runtime.clock.elapsedMs()
      const [at] = await db.query(readTurn)
      const before = await node.getSolidBlock()
      const read = await progress()
      if (!read || before.number < read.solidNumber)
        return { hold: 'the node is behind the scanner' }
      const earlier = await expected()
      const { hot, clients, escrow, surplus, unsteady } = await deposits.reconciling().reconcile()
      const missing = await deposits.missing()
      const { underWay, forecast } = await expected()
      const after = await node.getSolidBlock()
      if (surplus < 0n) return { hold: `${formatTrx(-surplus)} TRX are missing on the chain` }
      if (missing > 0n) {
        return { hold: `deposit addresses have ${formatTrx(missing)} TRX less than the books` }
      }
      if (unsteady || before.id !== after.id)
        return { hold: 'a block became solid during the reading' }
      if (earlier.underWay !== underWay)
        return { hold: 'a payout or a transfer began or ended during the reading' }
      return { turn: at!.turn, fromMs, hot, owed: clients + escrow, surplus, underWay, forecast }
    },
  }

  async function whySigningIsOff(): Promise<string | undefined> {
    const { enabled, reason } = await signing.enabled()
    return enabled ? undefined : `signing is off: ${reason}`
  }
}

export type ReadingOf = ReturnType<typeof createReading>
