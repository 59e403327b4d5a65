import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Chart } from '../../shared/charts/Chart.tsx'
import { counted, drawnTrx, readableTrx, trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import { type AgentReport, agentReportQuery } from '../queries.ts'
import { skipWords } from '../skipReasons.ts'

/** Resale in figures: revenue and margin by day, and what was paid but not sold. */
export function AgentSales() {
  const { data, error, refetch } = useQuery(agentReportQuery)
  return (
    <Page title="Agent sales">
      <Anchor component={Link} to="/agent" underline="always">
        All pay pages
      </Anchor>
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton />
      ) : (
        <>
          <Sales report={data} />
          <Skipped report={data} />
        </>
      )}
    </Page>
  )
}

function Sales({ report: { days } }: { report: AgentReport }) {
  const sum = (of: (day: AgentReport['days'][number]) => bigint) =>
    days.reduce((all, day) => all + of(day), 0n)
  const revenue = sum((day) => day.revenue_sun)
  const margin = sum((day) => day.revenue_sun - day.cost_sun)
  const sales = days.reduce((all, day) => all + day.sales, 0)
  const drawn = (of: (day: AgentReport['days'][number]) => bigint) =>
    days.map((day) => drawnTrx(trxOf(of(day))))
  return (
    <Panel title="The last 30 days">
      <Text className="hero" component="p">
        <Trx value={trxOf(margin)} unit />
      </Text>
      <Text c="dimmed" mb="md">
        margin of {counted(sales, 'sale')}: <Trx value={trxOf(revenue)} unit /> paid by customers
        {revenue > 0n && `, ${(margin * 100n) / revenue} % of it yours`}.
      </Text>
      <Chart
        label={`Revenue of the last 30 days: ${readableTrx(trxOf(revenue))} TRX, of which ${readableTrx(trxOf(margin))} TRX are margin`}
        labels={days.map(({ date }) => dayWords(date))}
        series={[
          {
            name: 'Cost of Energy',
            kind: 'bars',
            colour: '--series-3',
            values: drawn((day) => day.cost_sun),
          },
          {
            name: 'Margin',
            kind: 'bars',
            colour: '--series-1',
            values: drawn((day) => day.revenue_sun - day.cost_sun),
          },
        ]}
        words={(value) => `${readableTrx(value.toFixed(6))} TRX`}
        empty="Each day with a sale is a bar here: what the Energy cost, and your margin on top."
      />
    </Panel>
  )
}

function Skipped({ report: { skipped } }: { report: AgentReport }) {
  return (
    <Panel title="Paid, but not sold">
      {skipped.length === 0 ? (
        <EmptyState title="Nothing was skipped">
          Payments that did not become Energy in the last 30 days are summed up here, with what
          would have helped.
        </EmptyState>
      ) : (
        <div className="scroll">
          <table className="rows stack">
            <thead>
              <tr>
                <th>Reason</th>
                <th className="right">Payments</th>
                <th className="right">Paid, TRX</th>
              </tr>
            </thead>
            <tbody>
              {skipped.map(({ reason, payments, amount_sun }) => (
                <tr key={reason}>
                  <td className="wrap whole">
                    <code>{reason}</code>
                    <div className="soft">{skipWords(reason)}</div>
                  </td>
                  <td className="right" data-label="Payments">
                    {payments}
                  </td>
                  <td className="right" data-label="TRX">
                    <Trx value={trxOf(amount_sun)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
