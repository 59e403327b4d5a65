const WIDTH = 960
const HEIGHT = 120

/** A balance over its entries, oldest first. */
export function Line({ values, label }: { values: number[]; label: string }) {
  if (values.length < 2) return null
  const low = Math.min(...values, 0)
  const span = Math.max(Math.max(...values) - low, 1)
  const x = (at: number) => (at / (values.length - 1)) * WIDTH
  const y = (value: number) => HEIGHT - 8 - ((value - low) / span) * (HEIGHT - 16)
  const path = values.map((value, at) => `${at ? `H${x(at)}V` : 'M0,'}${y(value)}`).join('')
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="chart flat"
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <path d={`${path}V${HEIGHT}H0Z`} className="area" />
      <path d={path} className="line" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
