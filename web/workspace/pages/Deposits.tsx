import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Address } from '../../shared/Address.tsx'
import { CopyButton } from '../../shared/CopyButton.tsx'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { counted, sunOf, trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Qr } from '../../shared/Qr.tsx'
import { StatusChip, stateWords } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { Choose } from '../Choose.tsx'
import { Days } from '../Days.tsx'
import { accountQuery, depositsQuery } from '../queries.ts'

export function Deposits() {
  const account = useQuery(accountQuery)
  return (
    <Page title="Deposits">
      <Panel title="Your deposit address">
        {account.error && <Trouble error={account.error} retry={account.refetch} />}
        {account.data ? (
          <Group align="flex-start" wrap="wrap">
            <Qr
              value={account.data.deposit_address}
              label={`QR code of ${account.data.deposit_address}`}
            />
            <Stack gap="xs" maw={440}>
              <Address value={account.data.deposit_address} whole />
              <div>
                <CopyButton value={account.data.deposit_address} what="the address" />
              </div>
              <Text>
                Send TRX to this address from any wallet or exchange. It is yours alone and does not
                change. Seconds after the transfer is in a block, the amount can be spent.
              </Text>
              <Text size="sm" c="dimmed">
                Only TRX is credited. Tokens such as USDT are not.
              </Text>
            </Stack>
          </Group>
        ) : (
          <Skeleton height={186} />
        )}
      </Panel>
      <Received />
    </Page>
  )
}

type Deposit = {
  status: string
  amount_trx: string
  tx_hash: string
  credited_at: string | null
  verified_at: string | null
  created_at: string
}
/** What the list is narrowed to; the address of the page holds it. */
type Filter = { status?: string; from?: string; to?: string }
const STATES = ['pending', 'confirmed', 'reverted']

function Received() {
  const { data, error, refetch } = useQuery(depositsQuery)
  const filter: Filter = useSearch({ strict: false })
  const navigate = useNavigate()
  if (error) return <Trouble error={error} retry={refetch} />
  const set = (part: keyof Filter, value: string) => {
    const { [part]: _before, ...rest } = filter
    return navigate({ to: '/deposits', search: value ? { ...rest, [part]: value } : rest })
  }
  const isFiltered = Object.keys(filter).length > 0
  const shown = data?.deposits.filter((one) => isWithin(one, filter)) ?? []
  return (
    <Panel
      title="Received"
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          disabled={shown.length === 0}
          onClick={() => save(shown)}
        >
          CSV
        </Button>
      }
    >
      <Group gap="sm" align="flex-end" mb="sm">
        <Choose
          label="Status"
          all="All states"
          value={filter.status}
          values={STATES}
          words={stateWords}
          set={(status) => set('status', status)}
        />
        <Days from={filter.from} to={filter.to} set={set} />
        {isFiltered && (
          <Button variant="subtle" onClick={() => navigate({ to: '/deposits', search: {} })}>
            Clear
          </Button>
        )}
      </Group>
      <div aria-live="polite">
        {!data ? (
          <RowsSkeleton />
        ) : shown.length === 0 ? (
          <EmptyState title={isFiltered ? 'No deposit matches' : 'Nothing received yet'}>
            A transfer shows up here by itself: pending, then confirmed, then final.
          </EmptyState>
        ) : (
          <>
            <Table deposits={shown} />
            <Text size="sm" c="dimmed" mt="sm">
              {counted(shown.length, 'deposit')}, together{' '}
              <Trx
                value={trxOf(shown.reduce((all, one) => all + (sunOf(one.amount_trx) ?? 0n), 0n))}
                unit
              />
              {data.has_more && ', the newest 100'}.
            </Text>
          </>
        )}
      </div>
    </Panel>
  )
}

function isWithin({ status, created_at }: Deposit, filter: Filter): boolean {
  const day = created_at.slice(0, 10)
  if (filter.status && status !== filter.status) return false
  return (!filter.from || day >= filter.from) && (!filter.to || day <= filter.to)
}

function save(deposits: Deposit[]) {
  saveCsv(
    'ergon-deposits.csv',
    ['status', 'amount_trx', 'tx_hash', 'credited_at', 'verified_at'],
    deposits.map((one) => [
      one.status,
      one.amount_trx,
      one.tx_hash,
      one.credited_at ?? '',
      one.verified_at ?? '',
    ]),
  )
}

function Table({ deposits }: { deposits: Deposit[] }) {
  return (
    <div className="scroll">
      <table className="rows stack">
        <thead>
          <tr>
            <th>Status</th>
            <th className="right">Amount, TRX</th>
            <th>Transaction</th>
            <th>Credited</th>
            <th>Final</th>
          </tr>
        </thead>
        <tbody>
          {deposits.map((deposit) => (
            <tr key={deposit.tx_hash}>
              <td>
                <StatusChip status={deposit.status} />
              </td>
              <td className="right" data-label="TRX">
                <Trx value={deposit.amount_trx} exact />
              </td>
              <td>
                <Address value={deposit.tx_hash} />
              </td>
              <td data-label="Credited">
                <When at={deposit.credited_at} />
              </td>
              <td data-label="Final">
                <When at={deposit.verified_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
