import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Line } from '../../shared/charts/Line.tsx'
import { useNow } from '../../shared/clock.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { statementQuery, transactionsQuery } from '../queries.ts'

const SUN = 1_000_000
const MONTHS = 12

const ENTRIES: Record<string, string> = {
  autoenergy_activate: 'AutoEnergy activation',
  autoenergy_daily: 'AutoEnergy, a day',
  autoenergy_unit: 'AutoEnergy transfer',
  agent_charge: 'Cost of a sale',
  agent_revenue: 'Customer’s payment',
  deposit_reversal: 'Deposit taken back by the chain',
}

/** Label of an entry type; an unknown type is shown unchanged. */
export const entryWords = (type: string) => {
  const words = type.replaceAll('_', ' ')
  return ENTRIES[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

export function Ledger() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(transactionsQuery)
  const [type, setType] = useState('')
  const entries = data?.pages.flatMap((page) => page.transactions) ?? []
  const types = [...new Set(entries.map((entry) => entry.entry_type))]
  const shown = entries.filter((entry) => type === '' || entry.entry_type === type)
  const balances = entries.map((entry) => Number(entry.balance_after_sun) / SUN).reverse()
  return (
    <Page title="Ledger">
      {error && <Trouble error={error} retry={refetch} />}
      <Statement />
      <Panel
        title="Movements"
        action={
          <NativeSelect
            aria-label="Kind of entry"
            size="xs"
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
            data={[
              { value: '', label: 'All kinds' },
              ...types.map((value) => ({ value, label: entryWords(value) })),
            ]}
          />
        }
      >
        {!data ? (
          <RowsSkeleton rows={8} />
        ) : entries.length === 0 ? (
          <EmptyState
            title="Nothing has moved yet"
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
            <Line values={balances} label={`Balance over the last ${balances.length} movements`} />
            <Entries entries={shown} />
            {hasNextPage && (
              <Button
                variant="default"
                mt="md"
                loading={isFetchingNextPage}
                onClick={() => fetchNextPage()}
              >
                Show older
              </Button>
            )}
          </>
        )}
      </Panel>
    </Page>
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
                  className={entry.amount_trx.startsWith('-') ? '' : 'credit'}
                />
              </td>
              <td className="right" data-label="Balance">
                <Trx value={entry.balance_after_trx} />
              </td>
              <td>
                <Address value={entry.reference_id ?? ''} />
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

function Statement() {
  const now = new Date(useNow(60_000))
  const months = Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
  const [month, setMonth] = useState(months[0]!)
  const { data, error } = useQuery(statementQuery(month))
  return (
    <Panel
      title="Statement"
      action={
        <Group gap="xs">
          <NativeSelect
            aria-label="Month"
            size="xs"
            value={month}
            onChange={(event) => setMonth(event.currentTarget.value)}
            data={months}
          />
          <Button
            component="a"
            href={`/app/v1/statements/${month}/csv`}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            CSV
          </Button>
        </Group>
      }
    >
      <Trouble error={error} />
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
                {entryWords(sum.entry_type)}{' '}
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
