import { exactTrx, grouped, readableTrx } from './money.ts'

type Props = {
  value: string
  /** With a plus where something came in. */
  signed?: boolean
  unit?: boolean
  /** Every digit: for amounts that somebody has to send. */
  exact?: boolean
  className?: string
}

/** An amount: tabular figures for reading, the exact one on hover. */
export function Trx({ value, signed, unit, exact, className = '' }: Props) {
  const plus = signed && !/^-|^0(\.0*)?$/.test(value) ? '+' : ''
  return (
    <span className={`amount ${className}`} title={`${exactTrx(value)} TRX`}>
      {plus}
      {exact ? exactTrx(value) : readableTrx(value)}
      {unit && <span className="unit"> TRX</span>}
    </span>
  )
}

export function Energy({ value }: { value: number | bigint }) {
  return <span className="amount">{grouped(value)}</span>
}
