import { getPublicScorecard, type HandledRoute, handle } from '@ergon/contract'
import type { Delivery } from './delivery.ts'
import { WINDOW_NAMES } from './scorecard/scorecard.ts'

const BPS = 10_000n
const METHOD =
  'Counted from every attempt that we made with a provider and whose end is known, own stake included; attempts under way are left out. ' +
  'An attempt is delivered when blocks hold delegations for its whole amount by the deadline of the order; anything less has failed. Windows are whole hours, ' +
  'by the time of the attempt. Seconds run from the attempt to the block of its last delegation, rounded up. The price is the ' +
  'average per Energy of what was delivered, weighted by Energy. Counted anew every five minutes.'

/** Public endpoints about deliveries. */
export function deliveryRoutes({ delivery }: { delivery: Delivery }): HandledRoute[] {
  return [
    handle(getPublicScorecard, async () => {
      const { countedAt, rows } = await delivery.scorecard.read()
      const names = [...new Set(rows.map(({ provider }) => provider))]
      return {
        method: METHOD,
        counted_at: countedAt?.toISOString() ?? null,
        providers: names.map((name) => ({
          name,
          windows: WINDOW_NAMES.map((window) => {
            const row = rows.find((one) => one.provider === name && one.window === window)
            const { delivered = 0n, failed = 0n } = row ?? {}
            const attempts = delivered + failed
            return {
              window,
              attempts: Number(attempts),
              delivered: Number(delivered),
              failed: Number(failed),
              fill_rate_bps: attempts === 0n ? null : Number((delivered * BPS) / attempts),
              average_price_sun: row?.price ?? null,
              median_seconds: numberOf(row?.median),
              p95_seconds: numberOf(row?.p95),
            }
          }),
        })),
      }
    }),
  ]
}

const numberOf = (value: bigint | null | undefined) => (value == null ? null : Number(value))
