/** One bar a day. The label describes the chart; hovering a bar shows that day. */
const WIDTH = 400
const HEIGHT = 140
const FLOOR = 20

export type Bar = { date: string; size: number; words: string }

export function Bars({ bars, label }: { bars: Bar[]; label: string }) {
  const most = Math.max(...bars.map(({ size }) => size), 0)
  const step = WIDTH / bars.length
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="chart" role="img" aria-label={label}>
      {bars.map(({ date, size, words }, index) => {
        const height = most > 0 ? (size / most) * (HEIGHT - FLOOR - 8) : 0
        const shown = Math.max(height, 2)
        return (
          <g key={date}>
            <title>{words}</title>
            <rect x={index * step} y={0} width={step} height={HEIGHT - FLOOR} fill="transparent" />
            <rect
              x={index * step + 3}
              y={HEIGHT - FLOOR - shown}
              width={step - 6}
              height={shown}
              rx={2}
              className={size > 0 ? 'bar' : 'bar none'}
            />
          </g>
        )
      })}
      {[bars[0], bars.at(-1)].map((bar, index) => (
        <text
          key={bar?.date}
          x={index ? WIDTH - 2 : 2}
          y={HEIGHT - 5}
          textAnchor={index ? 'end' : 'start'}
          className="axis"
        >
          {index ? 'today' : bar?.date.slice(5)}
        </text>
      ))}
    </svg>
  )
}
