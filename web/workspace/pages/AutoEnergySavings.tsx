import { Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Chart } from '../../shared/charts/Chart.tsx'
import { drawnTrx, sunOf, trxOf } from '../../shared/money.ts'
import { Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import { useNow } from '../../shared/useNow.ts'
import { type Subscription, type Usage, usageQuery } from '../queries.ts'
import { trxWords } from './BalanceCard.tsx'

const DAYS = 14
const DAY_MS = 86_400_000

/** What covered transfers cost, against what burning TRX for them would have taken. */
export function AutoEnergySavings({ subscriptions }: { subscriptions: Subscription[] }) {
  const usage = useQueries({ queries: subscriptions.map(({ address }) => usageQuery(address)) })
  const transfers = usage.flatMap(({ data }) => data ?? [])
  const saved = subscriptions.reduce((all, one) => all + (sunOf(one.saved_trx) ?? 0n), 0n)
  const burned = subscriptions.reduce((all, one) => all + (sunOf(one.burn_cost_trx) ?? 0n), 0n)
  return (
    <Panel title="Saved">
      <Text className="hero" component="p">
        <Trx value={trxOf(saved)} unit />
      </Text>
      <Text c="dimmed">
        Burning TRX for the same transfers would have taken <Trx value={trxOf(burned)} unit />,
        since each address was last covered.
      </Text>
      <ByDay transfers={transfers} />
    </Panel>
  )
}

function ByDay({ transfers }: { transfers: Usage }) {
  const now = useNow(60_000)
  const days = Array.from({ length: DAYS }, (_, at) =>
    new Date(now - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
  const sumOf = (field: 'billed_trx' | 'burn_cost_trx') =>
    days.map((day) =>
      transfers
        .filter(({ occurred_at }) => occurred_at.startsWith(day))
        .reduce((all, one) => all + drawnTrx(one[field]), 0),
    )
  return (
    <Chart
      label="TRX paid for covered transfers by day, and what burning would have taken"
      labels={days.map(dayWords)}
      series={[
        {
          name: 'Burned instead',
          values: sumOf('burn_cost_trx'),
          kind: 'line',
          colour: '--series-3',
        },
        { name: 'Paid', values: sumOf('billed_trx'), kind: 'bars', colour: '--series-1' },
      ]}
      words={trxWords}
      empty="Each covered transfer is drawn here: what it cost, and what burning would have taken."
    />
  )
}
