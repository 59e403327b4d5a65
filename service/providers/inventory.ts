import type { Clock } from '../kernel/index.ts'
import type { Offer } from './provider.ts'
import type { MarketRow } from './providers.sql.ts'

/** Energy subtracted from the offers for one purchase. */
export type Taken = {
  /** The purchase was made. */
  keep(): void
  putBack(): void
}

type Take = { provider: string; energy: bigint; keptMs: number | undefined }

/**
 * The offers, less the Energy that they cannot reflect yet: purchases in progress, and purchases made
 * after the provider was asked.
 */
export function createInventory(clock: Clock) {
  let offers: Offer[] = []
  let takes = new Set<Take>()

  const change = (provider: string, energy: bigint) => {
    const offer = offers.find((one) => one.provider === provider)
    if (offer) offer.capacity -= energy
  }

  return {
    offers: (): readonly Offer[] => offers,

    /** `readMs`: when the query for these rows was sent; a lower bound of their age. */
    fill(rows: readonly MarketRow[], readMs: number): void {
      const askedMs = new Map(rows.map(({ provider, ageMs }) => [provider, readMs - (ageMs ?? 0)]))
      offers = rows.flatMap(offerOf)
      const unknown = ({ provider, keptMs }: Take) =>
        keptMs === undefined || keptMs >= (askedMs.get(provider) ?? 0)
      takes = new Set([...takes].filter(unknown))
      for (const { provider, energy } of takes) change(provider, energy)
    },

    take(provider: string, energy: bigint): Taken {
      const take: Take = { provider, energy, keptMs: undefined }
      takes.add(take)
      change(provider, energy)
      return {
        keep() {
          take.keptMs = clock.elapsedMs()
        },
        putBack() {
          if (takes.delete(take)) change(provider, -energy)
        },
      }
    },
  }
}

function offerOf(row: MarketRow): Offer[] {
  const { provider, unitPrice, capacity, unable, fillBps } = row
  if (unable !== null || unitPrice === null || capacity === null) return []
  const { minimum, surchargeBelow, surcharge } = row
  return [
    {
      provider,
      unitPrice,
      capacity,
      minimum: minimum ?? 0n,
      surchargeBelow: surchargeBelow ?? 0n,
      surcharge: surcharge ?? 0n,
      fillBps,
    },
  ]
}
