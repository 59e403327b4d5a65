import type { ReactNode } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { Rows } from '../Shown.tsx'

export type Transfer = {
  id: string
  provider: string | null
  amount_trx: string
  step: string
  txid: string
  created_at: string
  trouble: string | null
  decided_by: string | null
}

/** Transfers of the treasury with their steps. */
export function Transfers({
  label,
  rows,
  decide,
}: {
  label: string
  rows: readonly Transfer[]
  decide?(row: Transfer): ReactNode
}) {
  if (rows.length === 0) return null
  const head = ['TRX', 'Step', 'Transaction', 'Asked for', ...(decide ? ['Decision'] : [])]
  return (
    <Rows label={label} head={head} right={['TRX']}>
      {rows.map((row) => (
        <tr key={row.id}>
          <td className="right" data-label="TRX">
            <Trx value={row.amount_trx} />
          </td>
          <td data-label="Step">
            {row.provider && `${row.provider}: `}
            {row.step}
            {row.trouble && <div className="soft">{row.trouble}</div>}
            {row.decided_by && <div className="soft">decided by {row.decided_by}</div>}
          </td>
          <td data-label="Transaction">
            <Address value={row.txid} />
          </td>
          <td data-label="Asked for">
            <When at={row.created_at} />
          </td>
          {decide && <td>{row.step === 'missing' && decide(row)}</td>}
        </tr>
      ))}
    </Rows>
  )
}
