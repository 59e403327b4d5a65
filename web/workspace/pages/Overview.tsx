import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { OneByOne } from '../../shared/OneByOne.tsx'
import { ButtonLink, EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { lastOrdersQuery, overviewQueries, overviewQuery } from '../queries.ts'
import { Attention } from './Attention.tsx'
import { BalanceCard } from './BalanceCard.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { OrderTable } from './OrderTable.tsx'
import { Outcomes, Savings, Spending } from './SpendCards.tsx'

export function Overview() {
  const { data, error, refetch } = useQuery(overviewQuery)
  const isKnown = useQueries({
    queries: [...overviewQueries],
    combine: (all) => all.every(({ isPending }) => !isPending),
  })
  return (
    <Page
      title="Overview"
      action={
        <div className="buttons">
          <ButtonLink to="/deposits">Top up</ButtonLink>
          <ButtonLink to="/buy" look="main">
            Buy Energy
          </ButtonLink>
        </div>
      }
    >
      {isKnown ? (
        <OneByOne>
          <Attention />
          <FirstSteps place="top" />
          {error && <Trouble error={error} retry={refetch} />}
          <div className="halves">
            <OneByOne>
              <BalanceCard overview={data} />
              <Spending overview={data} />
              <Savings overview={data} />
              <Outcomes overview={data} />
            </OneByOne>
          </div>
          <LastOrders />
          <FirstSteps place="end" />
        </OneByOne>
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
            <ButtonLink to="/buy" look="main">
              Buy Energy
            </ButtonLink>
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
