import { getOperatorStakeCost, type HandledRoute, handle } from '@ergon/contract'
import { type HexAddress, toBase58 } from '@ergon/tron'
import { formatTrx, sun } from '../../kernel/index.ts'
import { type ConsoleDeps, isoOf } from './deps.ts'

const trx = (amount: bigint) => formatTrx(sun(amount))

export function stakeCostRoutes({ rooms }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorStakeCost, async () => {
      const [{ terms, costing, stakes }, health] = await Promise.all([
        rooms.stakeCosts.read(),
        rooms.providers.health(),
      ])
      return {
        yield_bps: terms.yieldBps,
        floor_bps: terms.floorBps,
        days: terms.days,
        set_sun: terms.unit,
        cost_sun: costing?.unit ?? null,
        used_sun: health.find(({ name }) => name === 'own_stake')?.unitPrice ?? null,
        worked_out_at: isoOf(costing?.at),
        stakes: stakes.map((stake) => ({
          address: toBase58(stake.owner as HexAddress),
          seconds: stake.seconds,
          staked_trx: trx(stake.staked),
          yield_trx: trx(stake.yielded),
          fees_trx: trx(stake.fees),
          sold_energy: stake.sold,
          produced_energy: stake.produced,
          expected_energy: stake.expected,
          cost_sun: stake.unit,
          by_hand: stake.isOverride,
        })),
      }
    }),
  ]
}
