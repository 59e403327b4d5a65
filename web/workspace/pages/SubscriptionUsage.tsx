import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { usageQuery } from '../queries.ts'

const SHOWN = 5

/** The last transfers that were covered. */
export function SubscriptionUsage({ address }: { address: string }) {
  const { data } = useQuery(usageQuery(address))
  if (!data || data.length === 0) return null
  return (
    <div className="scroll">
      <table className="rows stack">
        <thead>
          <tr>
            <th>Size</th>
            <th>Transaction</th>
            <th className="right">Billed, TRX</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {data.slice(0, SHOWN).map((item) => (
            <tr key={item.used_tx_id}>
              <td>{item.energy_class}</td>
              <td>
                <Address value={item.used_tx_id} />
              </td>
              <td className="right" data-label="TRX">
                <Trx value={item.billed_trx} />
              </td>
              <td>
                <When at={item.occurred_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
