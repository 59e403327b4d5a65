import type { BooksGroup, getOperatorBooks, Reply } from '@ergon/contract'
import { Button, Group, NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Chart } from '../../shared/charts/Chart.tsx'
import { serverNow } from '../../shared/clock.ts'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { drawnTrx, grouped, readableTrx } from '../../shared/money.ts'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import { booksQuery } from '../calls.ts'
import { Health, Rows, Shown } from '../Shown.tsx'
import { type Open, useOpen } from '../useOpen.ts'
import { Months } from './Months.tsx'
import { Statements } from './Statements.tsx'

type Books = Reply<typeof getOperatorBooks>
type Figures = Books['total']

const AMOUNTS = [
  ['Revenue', 'revenue_trx'],
  ['Refunds', 'refunds_trx'],
  ['Rewards', 'rewards_trx'],
  ['Providers', 'provider_cost_trx'],
  ['Network', 'network_fees_trx'],
  ['Goodwill', 'goodwill_trx'],
  ['Margin', 'margin_trx'],
] as const
const COUNTS = [
  ['Completed', 'completed'],
  ['Failed', 'failed'],
] as const
/** Worked out and never booked: after everything that is. */
const AFTER_STAKE = [
  ['Own stake', 'stake_cost_trx'],
  ['Margin after stake', 'margin_after_stake_trx'],
] as const
const NAMES: Record<BooksGroup, string> = {
  day: 'Day',
  month: 'Month',
  product: 'Product',
  client: 'Client',
  provider: 'Provider',
}
const HEAD = [...AMOUNTS, ...COUNTS, ...AFTER_STAKE].map(([name]) => name)

const DAY_MS = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** From the first day of the month, by the server's time; what the address names comes first. */
function rangeOf({ from, to, by }: Open) {
  const today = dayOf(serverNow())
  const group = by !== undefined && by in NAMES ? (by as BooksGroup) : 'day'
  return { from: from ?? `${today.slice(0, 7)}-01`, to: to ?? today, by: group }
}

export function Books() {
  const open = useOpen('/books')
  const { from, to, by } = rangeOf(open)
  const daily = useQuery(booksQuery(from, to, 'day'))
  const books = useQuery(booksQuery(from, to, by))
  const go = (next: Open) => open.go({ from, to, by, ...next })
  return (
    <Page
      title="Books"
      action={
        <Group gap="sm" align="end">
          <TextInput
            label="First day"
            type="date"
            value={from}
            onChange={({ currentTarget: { value } }) => value && go({ from: value })}
          />
          <TextInput
            label="Last day"
            type="date"
            value={to}
            onChange={({ currentTarget: { value } }) => value && go({ to: value })}
          />
          <NativeSelect
            label="By"
            data={Object.entries(NAMES).map(([value, label]) => ({ value, label }))}
            value={by}
            onChange={({ currentTarget: { value } }) => go({ by: value })}
          />
        </Group>
      }
    >
      <Shown query={daily}>{(data) => <Plots {...{ data, from, to }} />}</Shown>
      <Shown query={books}>{(data) => <Table {...{ data, from, to, by }} />}</Shown>
      <Statements from={from} to={to} />
      <Months />
    </Page>
  )
}

type Plotted = { data: Books; from: string; to: string }

function Plots({ data: { rows, total, delivery }, from, to }: Plotted) {
  const days = daysBetween(from, to)
  const byDay = new Map(rows.map((row) => [row.name, row]))
  const times = new Map(delivery.map((row) => [row.day, row]))
  const figures = (of: (row: Figures) => number) =>
    days.map((day) => (byDay.has(day) ? of(byDay.get(day)!) : 0))
  const seconds = (of: 'median_seconds' | 'p95_seconds') =>
    days.map((day) => times.get(day)?.[of] ?? null)
  const labels = days.map(dayWords)
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
      <Panel title="Sales, cost and margin">
        <Chart
          label={`By day in TRX: sales ${total.revenue_trx}, margin ${total.margin_trx}.`}
          labels={labels}
          series={[
            {
              name: 'Sales',
              kind: 'bars',
              colour: '--series-1',
              values: figures((row) => drawnTrx(row.revenue_trx)),
            },
            { name: 'Cost', kind: 'line', colour: '--bad', values: figures(costsOf) },
            {
              name: 'Margin',
              kind: 'line',
              colour: '--series-2',
              values: figures((row) => drawnTrx(row.margin_trx)),
            },
          ]}
          words={(value) => `${readableTrx(value.toFixed(6))} TRX`}
          empty="What was sold, what it cost and what is left, by day."
        />
      </Panel>
      <Panel title="Orders">
        <Chart
          label={`Orders by day: ${total.completed} completed, ${total.failed} failed.`}
          labels={labels}
          series={[
            {
              name: 'Completed',
              kind: 'bars',
              colour: '--done',
              values: figures(({ completed }) => completed),
            },
            {
              name: 'Failed',
              kind: 'bars',
              colour: '--bad',
              values: figures(({ failed }) => failed),
            },
          ]}
          words={(value) => grouped(Math.round(value))}
          empty="Orders that were delivered, and those that failed and were refunded."
        />
      </Panel>
      <Panel title="Seconds to delivery">
        <Chart
          label="Seconds from the charge to the delivery, by day: the median, and what 95 % took at most."
          labels={labels}
          series={[
            {
              name: 'Median',
              kind: 'line',
              colour: '--series-1',
              values: seconds('median_seconds'),
            },
            {
              name: '95 % within',
              kind: 'line',
              colour: '--series-2',
              values: seconds('p95_seconds'),
            },
          ]}
          words={(value) => `${grouped(Math.round(value))} s`}
          empty="How long a delivery takes, by day."
        />
      </Panel>
    </SimpleGrid>
  )
}

/** For drawing alone. */
function costsOf(row: Figures): number {
  const { refunds_trx, provider_cost_trx, network_fees_trx, goodwill_trx } = row
  const costs = [refunds_trx, provider_cost_trx, network_fees_trx, goodwill_trx]
  return costs.reduce((sum, cost) => sum + drawnTrx(cost), 0)
}

/** Without days to come: there is nothing to draw. */
function daysBetween(from: string, to: string): string[] {
  const last = Math.min(Date.parse(to), serverNow())
  const days: string[] = []
  for (let at = Date.parse(from); at <= last; at += DAY_MS) days.push(dayOf(at))
  return days
}

type Listed = { data: Books; from: string; to: string; by: BooksGroup }

function Table({ data, from, to, by }: Listed) {
  const { rows, total, check, complete, late } = data
  const save = () =>
    saveCsv(
      `books-${from}-${to}-by-${by}.csv`,
      [
        by,
        ...AMOUNTS.map(([, field]) => field),
        'returned_trx',
        ...COUNTS.map(([, field]) => field),
        'stake_cost_calculated_trx',
        'margin_after_stake_calculated_trx',
      ],
      rows.map((row) => [
        row.name,
        ...AMOUNTS.map(([, field]) => row[field]),
        row.returned_trx,
        ...COUNTS.map(([, field]) => String(row[field])),
        ...AFTER_STAKE.map(([, field]) => row[field] ?? ''),
      ]),
    )
  return (
    <Panel
      title="Profit and loss"
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={save}
          disabled={rows.length === 0}
        >
          CSV
        </Button>
      }
    >
      <Health ok={check.ok}>{check.sentence}</Health>
      {!complete && <Note>The newest movements are not counted yet.</Note>}
      {rows.length === 0 ? (
        <EmptyState title="Nothing was booked in these days">
          Sales are counted on the day of their delivery, in UTC.
        </EmptyState>
      ) : (
        <Rows label="Profit and loss" head={[NAMES[by], ...HEAD]} right={HEAD}>
          {rows.map((row) => (
            <tr key={row.name}>
              <td>
                <Named by={by} name={row.name} />
              </td>
              <Cells row={row} />
            </tr>
          ))}
          <tr>
            <th scope="row">Total</th>
            <Cells row={total} />
          </tr>
        </Rows>
      )}
      <Note>
        Amounts in TRX; days are in UTC. For failed orders <Trx value={total.returned_trx} unit />{' '}
        went back, which never was revenue.
      </Note>
      <Note>
        Own stake and the margin after it are worked out from staked TRX and the yield that they
        must earn; they are not booked and not compared with the ledger.
      </Note>
      {late.map((one) => (
        <Note key={one.movement_id}>
          Late: a movement of {dayWords(one.of_day)} ({one.kind}){' '}
          <Trx value={one.amount_trx} signed unit /> counts on {dayWords(one.day)}, because its
          month was closed.
        </Note>
      ))}
    </Panel>
  )
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {children}
    </Text>
  )
}

function Named({ by, name }: { by: BooksGroup; name: string }) {
  if (name === '') return <span className="soft">none</span>
  if (by === 'client') return <Address value={name} />
  return by === 'day' ? dayWords(name) : name
}

function Cells({ row }: { row: Figures }) {
  return (
    <>
      {AMOUNTS.map(([name, field]) => (
        <td key={field} className="right" data-label={name}>
          <Trx value={row[field]} />
        </td>
      ))}
      {COUNTS.map(([name, field]) => (
        <td key={field} className="right" data-label={name}>
          {grouped(row[field])}
        </td>
      ))}
      {AFTER_STAKE.map(([name, field]) => (
        <td key={field} className="right" data-label={name}>
          {row[field] === null ? <span className="soft">–</span> : <Trx value={row[field]} />}
        </td>
      ))}
    </>
  )
}
