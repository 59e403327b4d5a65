import { hourWords } from '../times.ts'
import { Chart } from './Chart.tsx'
import type { Series } from './series.ts'

type Props = {
  /** SUN per Energy, by hour in UTC. */
  prices: number[]
  hour: number
  /** What an account with a discount pays. */
  own?: number[]
  onDrag?(hour: number, price: number): void
}

/** 24 hourly prices as steps, with now and the cheapest hour marked. */
export function PriceChart({ prices, hour, own, onDrag }: Props) {
  const low = Math.min(...prices)
  const cheapest = prices.indexOf(low)
  const label = `Price by hour in SUN per Energy. Now ${prices[hour]}, cheapest ${low} at ${hourWords(cheapest)} UTC, highest ${Math.max(...prices)}.`
  const series: Series[] = [
    { name: 'Price', values: prices, kind: 'steps', colour: '--series-1' },
    ...(own
      ? [{ name: 'Your price', values: own, kind: 'steps', colour: '--series-2' } as const]
      : []),
  ]
  const marks = [
    { at: hour, words: `now ${prices[hour]}` },
    ...(prices[hour] === low ? [] : [{ at: cheapest, words: `cheapest ${low}` }]),
  ]
  return (
    <Chart
      label={label}
      labels={prices.map((_, at) => hourWords(at))}
      series={series}
      words={(value) => `${Number(value.toFixed(2))} SUN`}
      marks={marks}
      {...(onDrag && { onDrag })}
    />
  )
}
