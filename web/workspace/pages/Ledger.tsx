import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Chart } from '../../shared/charts/Chart.tsx'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { counted, drawnTrx, sunOf, trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dateWords, monthWords } from '../../shared/times.ts'
import { useNow } from '../../shared/useNow.ts'
import { When } from '../../shared/When.tsx'
import { OrderLink } from '../OrderLink.tsx'
import { movementsQuery, statementQuery } from '../queries.ts'
import { trxWords } from './BalanceCard.tsx'

const MONTHS = 12
/** Movements before somebody asks for all. */
const SHOWN = 50

const ENTRIES: Record<string, string> = {
  autoenergy_activate: 'AutoEnergy activation',
  autoenergy_daily: 'AutoEnergy, a day',
  autoenergy_unit: 'AutoEnergy transfer',
  agent_charge: 'Cost of a sale',
  agent_revenue: 'Customer’s payment',
  deposit_reversal: 'Deposit taken back by the chain',
  reclaim_credit: 'Credit for Energy taken back early',
}

/** What was spent, less what came back; the same as on the overview. */
const SPENT = /^(purchase|refund|reclaim_credit|agent_charge|autoenergy_\w+)$/
/** Entries whose reference is an order; a refund of AutoEnergy has another reference than an order's id. */
const ORDERED = /^(purchase|refund|agent_charge)$/
const ORDER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Label of an entry type; an unknown type is shown unchanged. */
export const entryWords = (type: string) => {
  const words = type.replaceAll('_', ' ')
  return ENTRIES[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

type Search = { month?: string; type?: string }

/** One month: its sums by kind, and its movements. Month and kind are kept in the address. */
export function Ledger() {
  const now = new Date(useNow(60_000))
  const months = Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
  const { month = months[0]!, type = '' }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (search: Search) => navigate({ to: '/ledger', search })
  return (
    <Page
      title="Ledger"
      action={
        <NativeSelect
          aria-label="Month"
          value={month}
          onChange={(event) => go({ ...(type && { type }), month: event.currentTarget.value })}
          data={(months.includes(month) ? months : [...months, month]).map((value) => ({
            value,
            label: monthWords(value),
          }))}
        />
      }
    >
      <Statement
        month={month}
        type={type}
        choose={(next) => go({ month, ...(next && { type: next }) })}
      />
      <Movements month={month} type={type} />
    </Page>
  )
}

type Props = { month: string; type: string }

function Statement({ month, type, choose }: Props & { choose(type: string): void }) {
  const { data, error } = useQuery(statementQuery(month))
  const spent = data?.sums.reduce(
    (all, sum) => (SPENT.test(sum.entry_type) ? all - (sunOf(sum.amount_trx) ?? 0n) : all),
    0n,
  )
  return (
    <Panel
      title={`Statement of ${monthWords(month)}`}
      action={
        <Button
          component="a"
          href={`/app/v1/statements/${month}/csv`}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
        >
          CSV of the month
        </Button>
      }
    >
      <Trouble error={error} />
      {spent !== undefined && (
        <Text component="p" mb="sm">
          <span className="figure">
            <Trx value={trxOf(spent)} unit />
          </span>{' '}
          <span className="soft">spent this month, less refunds</span>
        </Text>
      )}
      {data ? (
        <dl className="facts">
          <div>
            <dt>Opening balance</dt>
            <dd>
              <Trx value={data.opening_trx} unit />
            </dd>
          </div>
          {data.sums.map((sum) => (
            <div key={sum.entry_type}>
              <dt>
                <button
                  type="button"
                  className="plain"
                  aria-pressed={type === sum.entry_type}
                  onClick={() => choose(type === sum.entry_type ? '' : sum.entry_type)}
                >
                  {entryWords(sum.entry_type)}
                </button>{' '}
                <Text span c="dimmed" size="sm">
                  × {sum.count}
                </Text>
              </dt>
              <dd>
                <Trx value={sum.amount_trx} signed unit />
              </dd>
            </div>
          ))}
          <div className="total">
            <dt>Closing balance</dt>
            <dd>
              <Trx value={data.closing_trx} unit />
            </dd>
          </div>
        </dl>
      ) : (
        <RowsSkeleton rows={3} />
      )}
    </Panel>
  )
}

function Movements({ month, type }: Props) {
  const { data, error, refetch } = useQuery(movementsQuery(month, type))
  const [isWhole, setWhole] = useState(false)
  if (error) return <Trouble error={error} retry={refetch} />
  const entries = data?.entries ?? []
  return (
    <Panel
      title={type ? entryWords(type) : 'Movements'}
      action={
        <Group gap="sm">
          {type && (
            <Link to="/ledger" search={{ month }}>
              All movements
            </Link>
          )}
          <Button
            size="xs"
            variant="default"
            disabled={entries.length === 0}
            leftSection={<IconDownload size={14} />}
            onClick={() => save(entries, `ergon-${month}${type && `-${type}`}.csv`)}
          >
            CSV of these
          </Button>
        </Group>
      }
    >
      {!data ? (
        <RowsSkeleton rows={8} />
      ) : entries.length === 0 ? (
        <EmptyState
          title="Nothing moved"
          action={
            <Button component={Link} to="/deposits">
              Top up
            </Button>
          }
        >
          Every deposit, purchase and refund is listed here with the balance after it, so that it
          can be checked.
        </EmptyState>
      ) : (
        <>
          {!type && <BalanceChart entries={entries} />}
          <Entries entries={isWhole ? entries : entries.slice(0, SHOWN)} />
          {!isWhole && entries.length > SHOWN && (
            <Button variant="default" mt="md" onClick={() => setWhole(true)}>
              Show all {entries.length}
            </Button>
          )}
          <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
            {counted(entries.length, 'movement')}, together{' '}
            <Trx
              value={trxOf(entries.reduce((all, one) => all + (sunOf(one.amount_trx) ?? 0n), 0n))}
              signed
              unit
            />
            {data.has_more && '. Older ones are in the CSV of the month'}.
          </Text>
        </>
      )}
    </Panel>
  )
}

type Entry = {
  id: string
  entry_type: string
  amount_trx: string
  balance_after_trx: string
  reference_id: string | null
  description: string
  created_at: string
}

function save(entries: Entry[], name: string) {
  saveCsv(
    name,
    ['time', 'entry_type', 'amount_trx', 'balance_after_trx', 'reference', 'description'],
    entries.map((one) => [
      one.created_at,
      one.entry_type,
      one.amount_trx,
      one.balance_after_trx,
      one.reference_id ?? '',
      one.description,
    ]),
  )
}

function BalanceChart({ entries }: { entries: Entry[] }) {
  const now = useNow(60_000)
  const oldestFirst = entries.toReversed()
  return (
    <Chart
      label={`Balance after each of ${counted(entries.length, 'movement')}`}
      labels={oldestFirst.map(({ created_at }) => dateWords(Date.parse(created_at), now))}
      series={[
        {
          name: 'Balance',
          kind: 'line',
          colour: '--series-1',
          values: oldestFirst.map(({ balance_after_trx }) => drawnTrx(balance_after_trx)),
        },
      ]}
      words={trxWords}
      height={168}
    />
  )
}

function Entries({ entries }: { entries: Entry[] }) {
  return (
    <div className="scroll">
      <table className="rows stack">
        <thead>
          <tr>
            <th>Kind</th>
            <th className="right">Amount, TRX</th>
            <th className="right">Balance after</th>
            <th>Reference</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id} title={entry.description}>
              <td>{entryWords(entry.entry_type)}</td>
              <td className="right">
                <Trx
                  value={entry.amount_trx}
                  signed
                  // It may have paid an order, which only its last digits tell.
                  exact={entry.entry_type === 'deposit'}
                  className={entry.amount_trx.startsWith('-') ? '' : 'credit'}
                />
              </td>
              <td className="right" data-label="Balance">
                <Trx value={entry.balance_after_trx} />
              </td>
              <td>
                <Reference entry={entry} />
              </td>
              <td>
                <When at={entry.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Reference({ entry: { entry_type, reference_id } }: { entry: Entry }) {
  const id = reference_id ?? ''
  if (ORDERED.test(entry_type) && ORDER_ID.test(id)) return <OrderLink id={id} />
  // Order and transaction: one order may be credited more than once.
  if (entry_type === 'reclaim_credit') return <OrderLink id={id.split(':')[0]!} />
  return <Address value={id} />
}
