import { Button, Group } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { lastOrdersQuery, overviewQueries, overviewQuery } from '../queries.ts'
import { Attention } from './Attention.tsx'
import { BalanceCard } from './BalanceCard.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { OrderTable } from './OrderTable.tsx'
import { Outcomes, Savings, Spending } from './SpendCards.tsx'

export function Overview() {
  const { data: latest, error, refetch } = useQuery(overviewQuery)
  // Charts are drawn in small steps, after what can be tapped.
  const data = useDeferredValue(latest)
  const isKnown = useQueries({
    queries: [...overviewQueries],
    combine: (all) => all.every(({ isPending }) => !isPending),
  })
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
      {isKnown ? (
        <>
          <Attention />
          <FirstSteps place="top" />
          {error && <Trouble error={error} retry={refetch} />}
          <div className="halves">
            <BalanceCard overview={data} />
            <Spending overview={data} />
            <Savings overview={data} />
            <Outcomes overview={data} />
          </div>
          <LastOrders />
          <FirstSteps place="end" />
        </>
      ) : (
        <RowsSkeleton />
      )}
    </Page>
  )
}

function LastOrders() {
  const { data, error, refetch } = useQuery(lastOrdersQuery)
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
