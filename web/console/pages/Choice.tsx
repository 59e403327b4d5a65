import { Text } from '@mantine/core'
import { grouped } from '../../shared/money.ts'
import { When } from '../../shared/When.tsx'
import { Evidence } from '../Shown.tsx'

type Considered = {
  provider: string
  unit_price_sun?: string
  capacity?: string
  fill_bps?: string
  taken: string
  why: string
}
/** What was considered when an order was planned, as the service stored it. */
export type Chosen = { at: string; energy: string; considered: Considered[] }

/** One offer in a sentence. */
export function offerWords({ unit_price_sun, capacity, fill_bps, taken, why }: Considered): string {
  const share = taken === '0' ? 'not taken' : `takes ${grouped(taken)} Energy`
  const offer =
    unit_price_sun === undefined
      ? ''
      : `; offered ${grouped(capacity ?? '0')} at ${unit_price_sun} SUN, filled ${Number(fill_bps ?? 0) / 100} % of its orders then`
  return `${share}: ${why}${offer}.`
}

/** Why these providers and no others, for each time that the order was planned. */
export function Choice({ choice }: { choice: Chosen[] }) {
  if (choice.length === 0) return null
  return (
    <section aria-label="Why these providers">
      <Text size="sm" fw={600}>
        Why these providers
      </Text>
      {choice.map(({ at, energy, considered }) => (
        <div key={at}>
          <Text size="sm" c="dimmed">
            {grouped(energy)} Energy were planned <When at={at} />
          </Text>
          <ul className="reasons">
            {considered.map((one) => (
              <li key={one.provider}>
                <b>{one.provider}</b> {offerWords(one)}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <details className="fold">
        <summary>As it was stored</summary>
        <Evidence value={choice} />
      </details>
    </section>
  )
}
