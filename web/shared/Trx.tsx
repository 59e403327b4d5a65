import { grouped, partsOf, sunOf } from './money.ts'

type Props = {
  value: string
  signed?: boolean
  unit?: boolean
  decimals?: number
  className?: string
}

/** An amount: tabular figures, trailing zeros dimmed, SUN on hover. */
export function Trx({ value, signed, unit, decimals, className = '' }: Props) {
  const { sign, whole, fraction, zeros } = partsOf(value, decimals)
  const plus = signed && sign === '' && !/^0(\.0*)?$/.test(value) ? '+' : ''
  const sun = sunOf(value)
  const title = sun === undefined ? undefined : `${grouped(sun)} SUN`
  return (
    <span className={`amount ${className}`} title={title}>
      {sign || plus}
      {whole}
      {(fraction || zeros) && '.'}
      {fraction}
      {zeros && <span className="zeros">{zeros}</span>}
      {unit && <span className="unit"> TRX</span>}
    </span>
  )
}

export function Energy({ value }: { value: number }) {
  return <span className="amount">{grouped(value)}</span>
}
