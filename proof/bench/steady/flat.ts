/** A curve over the time of a run, and what may grow in it. */
export type Curve = {
  panel: string
  unit: string
  name: string
  values: number[]
  /** Growth over the second half that is no growth: noise, a page, a minute's garbage. */
  slack: number
  /** Why it has to grow. */
  grows?: string
}

export type Verdict = { isFlat: boolean; growth: number; sentence: string }

/** A part of the mean: what is larger than this is not noise. */
const PART = 0.05

/** By the straight line that fits the second half best: single peaks do not make a curve grow. */
export function judge({ unit, name, values, slack, grows }: Curve): Verdict {
  const half = values.slice(Math.floor(values.length / 2))
  const mean = half.reduce((sum, value) => sum + value, 0) / Math.max(1, half.length)
  const growth = slopeOf(half, mean) * (half.length - 1)
  const isFlat = growth <= Math.max(slack, mean * PART)
  const said = `${name}: ${number(growth)} ${unit} in the second half, on average ${number(mean)} ${unit}`
  if (isFlat) return { isFlat, growth, sentence: `flat   ${said}` }
  return {
    isFlat,
    growth,
    sentence: `${grows ? 'kept   ' : 'GROWS  '}${said}${grows ? `; ${grows}` : ''}`,
  }
}

function slopeOf(values: number[], mean: number): number {
  const middle = (values.length - 1) / 2
  const [products, squares] = values.reduce(
    ([a, b], value, place) => [a + (place - middle) * (value - mean), b + (place - middle) ** 2],
    [0, 0],
  )
  return squares === 0 ? 0 : products / squares
}

const number = (value: number) =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2, signDisplay: 'auto' })
