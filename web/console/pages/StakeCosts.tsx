import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { grouped } from '../../shared/money.ts'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { stakeCostQuery } from '../calls.ts'
import { Rows, ShownPanel } from '../Shown.tsx'

const DAY_SECONDS = 86_400
const HEAD = [
  'Stake',
  'Days',
  'Staked TRX',
  'Yield TRX',
  'Fees TRX',
  'Energy sold',
  'Produced',
  'Counts',
  'SUN per Energy',
]

const percent = (bps: number | bigint | string) => `${Number(bps) / 100} %`

/** Before its first reading a stake counts as if all that it produces were sold. */
const hasHistory = ({ seconds }: { seconds: bigint | number | string }) => Number(seconds) > 0

/** What the Energy of own stake costs: every term, and what follows for the router. */
export function StakeCosts() {
  const stakes = useQuery(stakeCostQuery)
  return (
    <ShownPanel title="What own stake costs" query={stakes}>
      {(data) => (
        <>
          <Text size="sm" c="dimmed">
            It must earn {percent(data.yield_bps)} a year, on {percent(data.floor_bps)} of its
            Energy at least, over the last {String(data.days)} days.{' '}
            {data.cost_sun === null
              ? 'Not worked out yet.'
              : `Together ${data.cost_sun} SUN per Energy`}
            {data.worked_out_at !== null && (
              <>
                , <When at={data.worked_out_at} />.
              </>
            )}{' '}
            {data.used_sun !== null && `The router compares ${data.used_sun} SUN.`}
          </Text>
          {data.stakes.length > 0 && (
            <Rows label="What own stake costs" head={HEAD} right={HEAD.slice(1)}>
              {data.stakes.map((one) => (
                <tr key={one.address}>
                  <td>
                    <Address value={one.address} />
                  </td>
                  <td className="right" data-label="Days">
                    {hasHistory(one)
                      ? (Number(one.seconds) / DAY_SECONDS).toFixed(1)
                      : 'no history'}
                  </td>
                  <td className="right" data-label="Staked TRX">
                    <Trx value={one.staked_trx} />
                  </td>
                  <td className="right" data-label="Yield TRX">
                    <Trx value={one.yield_trx} />
                  </td>
                  <td className="right" data-label="Fees TRX">
                    <Trx value={one.fees_trx} />
                  </td>
                  <td className="right" data-label="Energy sold">
                    {hasHistory(one) ? grouped(one.sold_energy) : '–'}
                  </td>
                  <td className="right" data-label="Produced">
                    {hasHistory(one) ? grouped(one.produced_energy) : '–'}
                  </td>
                  <td className="right" data-label="Counts">
                    {grouped(one.expected_energy)}
                  </td>
                  <td className="right" data-label="SUN per Energy">
                    {one.cost_sun === null ? '–' : String(one.cost_sun)}
                    {one.by_hand && ' by hand'}
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </>
      )}
    </ShownPanel>
  )
}
