import { useElementSize } from '@mantine/hooks'

const UNMEASURED = 400
const HEIGHT = 168
const FLOOR = 24
const HOURS = 24
/** Half the width of a label, in pixels. */
const REACH = 40
/** Hours from the sides within which a label cannot be centred on its hour. */
const EDGE = 3

/**
 * 24 hourly prices as steps, with now and the cheapest hour marked. As wide as its container and
 * equally high everywhere, so that its labels have one size on a phone and on a desktop.
 */
export function StepChart({ prices, hour }: { prices: number[]; hour: number }) {
  const place = useElementSize()
  const width = place.width || UNMEASURED
  const low = Math.min(...prices)
  const high = Math.max(...prices)
  const cheapest = prices.indexOf(low)
  const span = Math.max(high - low, 1)
  const x = (at: number) => (at / HOURS) * width
  const y = (price: number) => HEIGHT - FLOOR - 16 - ((price - low) / span) * (HEIGHT - FLOOR - 40)
  const path = prices
    .map((price, at) => `${at ? 'L' : 'M'}${x(at)},${y(price)}H${x(at + 1)}`)
    .join('')
  // Above the highest step that the label covers, so that they do not overlap.
  const reach = Math.ceil(REACH / (width / HOURS))
  const above = (at: number) => {
    const before = anchor(at) === 'end' ? 2 * reach : reach
    const after = anchor(at) === 'start' ? 2 * reach : reach
    return Math.min(...prices.slice(Math.max(at - before, 0), at + after + 1).map(y)) - 6
  }
  const words = `Price by hour in SUN per Energy. Now ${prices[hour]}, cheapest ${low} at ${cheapest}:00 UTC, highest ${high}.`
  return (
    <svg
      ref={place.ref}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      className="chart steady"
      role="img"
      aria-label={words}
    >
      <path d={`${path}V${HEIGHT - FLOOR}H0Z`} className="area" />
      <path d={path} className="line" />
      <rect
        x={x(hour)}
        y={y(prices[hour]!)}
        width={width / HOURS}
        height={HEIGHT - FLOOR - y(prices[hour]!)}
        className="now"
      />
      <text x={x(hour + 0.5)} y={above(hour)} textAnchor={anchor(hour)} className="mark">
        now {prices[hour]}
      </text>
      {cheapest !== hour && (
        <text
          x={x(cheapest + 0.5)}
          y={above(cheapest)}
          textAnchor={anchor(cheapest)}
          className="mark soft"
        >
          cheapest {low}
        </text>
      )}
      {[0, 6, 12, 18].map((at) => (
        <text key={at} x={x(at) + 2} y={HEIGHT - 6} className="axis">
          {String(at).padStart(2, '0')}:00
        </text>
      ))}
    </svg>
  )
}

function anchor(hour: number) {
  return hour < EDGE ? 'start' : hour >= HOURS - EDGE ? 'end' : 'middle'
}
