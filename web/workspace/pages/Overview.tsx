import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Bars } from '../../shared/charts/Bars.tsx'
import { grouped, sunOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { accountQuery, ordersQuery, overviewQuery } from '../queries.ts'
import { Attention } from './Attention.tsx'
import { OrderTable } from './OrderTable.tsx'

const WEEK = 7n
const SUN = 1_000_000

export function Overview() {
  return (
    <Page
      title="Overview"
      action={
        <Group gap="xs">
          <Button component={Link} to="/deposits" variant="default">
            Top up
          </Button>
          <Button component={Link} to="/buy">
            Buy Energy
          </Button>
        </Group>
      }
    >
      <Attention />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Balance />
        <Spending />
      </SimpleGrid>
      <LastOrders />
    </Page>
  )
}

function Balance() {
  const account = useQuery(accountQuery)
  const overview = useQuery(overviewQuery)
  if (account.error) return <Trouble error={account.error} retry={account.refetch} />
  return (
    <Panel title="Balance">
      {account.data ? (
        <Stack gap={4}>
          <Text className="hero" component="p" aria-live="polite">
            <Trx value={account.data.balance_trx} unit />
          </Text>
          <Text c="dimmed">
            {paceWords(account.data.balance_trx, overview.data?.spent_week_trx)}
          </Text>
          {account.data.reserved_trx !== '0' && (
            <Text size="sm" c="dimmed">
              <Trx value={account.data.reserved_trx} unit /> of it are held for AutoEnergy.
            </Text>
          )}
        </Stack>
      ) : (
        <Skeleton height={56} width="70%" />
      )}
    </Panel>
  )
}

/** How long the balance lasts at this week's rate. */
function paceWords(balance: string, week: string | undefined): string {
  const spent = sunOf(week ?? '0') ?? 0n
  const left = sunOf(balance) ?? 0n
  if (left <= 0n) return 'Top up to buy your first Energy.'
  if (spent <= 0n) return 'Nothing was spent in the last seven days.'
  const days = (left * WEEK) / spent
  return days > 365n
    ? 'Lasts more than a year at this week’s pace.'
    : `Lasts about ${days} ${days === 1n ? 'day' : 'days'} at this week’s pace.`
}

function Spending() {
  const { data, error, refetch } = useQuery(overviewQuery)
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data)
    return (
      <Panel title="Spent in 14 days">
        <Skeleton height={140} />
      </Panel>
    )
  const bars = data.days.map(({ date, spent_trx, energy }) => ({
    date,
    size: Math.max(Number(sunOf(spent_trx) ?? 0n) / SUN, 0),
    words: `${date}: ${spent_trx} TRX, ${grouped(energy)} Energy`,
  }))
  const energy = data.days.reduce((all, day) => all + day.energy, 0)
  return (
    <Panel title="Spent in 14 days">
      <Bars
        bars={bars}
        label={`TRX spent by day. In the last seven days ${data.spent_week_trx} TRX.`}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {grouped(energy)} Energy delivered. This week <Trx value={data.spent_week_trx} unit />.
      </Text>
    </Panel>
  )
}

function LastOrders() {
  const { data, error, refetch } = useQuery(ordersQuery(1, '', 5))
  const navigate = useNavigate()
  if (error) return <Trouble error={error} retry={refetch} />
  return (
    <Panel title="Last orders" action={<Link to="/orders">All orders</Link>}>
      {!data ? (
        <RowsSkeleton />
      ) : data.orders.length === 0 ? (
        <EmptyState
          title="No orders yet"
          action={
            <Button component={Link} to="/buy">
              Buy Energy
            </Button>
          }
        >
          Energy pays for USDT transfers instead of burned TRX. Buy some for an hour and follow it
          here.
        </EmptyState>
      ) : (
        <OrderTable
          orders={data.orders}
          open={(id) => navigate({ to: '/orders', search: { id } })}
        />
      )}
    </Panel>
  )
}
