/** 24 hourly prices as steps, with now and the cheapest hour marked. */
const WIDTH = 400
const HEIGHT = 160
const FLOOR = 24
const HOURS = 24
const REACH = 3

export function StepChart({ prices, hour }: { prices: number[]; hour: number }) {
  const low = Math.min(...prices)
  const high = Math.max(...prices)
  const cheapest = prices.indexOf(low)
  const span = Math.max(high - low, 1)
  const x = (at: number) => (at / HOURS) * WIDTH
  const y = (price: number) => HEIGHT - FLOOR - 16 - ((price - low) / span) * (HEIGHT - FLOOR - 40)
  const path = prices
    .map((price, at) => `${at ? 'L' : 'M'}${x(at)},${y(price)}H${x(at + 1)}`)
    .join('')
  // Above the line as far as the word reaches, so that neither crosses the other.
  const above = (at: number) =>
    Math.min(
      ...prices.slice(Math.max(at - REACH, 0), at + (at < REACH ? 2 * REACH : REACH) + 1).map(y),
    ) - 6
  const words = `Price by hour in SUN per Energy. Now ${prices[hour]}, cheapest ${low} at ${cheapest}:00 UTC, highest ${high}.`
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="chart" role="img" aria-label={words}>
      <path d={`${path}V${HEIGHT - FLOOR}H0Z`} className="area" />
      <path d={path} className="line" />
      <rect
        x={x(hour)}
        y={y(prices[hour]!)}
        width={WIDTH / HOURS}
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
  return hour < 3 ? 'start' : hour > 20 ? 'end' : 'middle'
}
