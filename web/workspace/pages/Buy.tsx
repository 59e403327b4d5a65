import { Button, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { PriceChart } from '../../shared/charts/PriceChart.tsx'
import { Page, Panel, RowsSkeleton } from '../../shared/Page.tsx'
import { Timeline } from '../../shared/Timeline.tsx'
import { Energy } from '../../shared/Trx.tsx'
import { useNow } from '../../shared/useNow.ts'
import { When } from '../../shared/When.tsx'
import { OrderLink } from '../OrderLink.tsx'
import { orderQuery, overviewQuery, pricingQuery, unpaidQuery } from '../queries.ts'
import { BatchForm } from './BatchForm.tsx'
import { type Bought, BuyForm } from './BuyForm.tsx'
import { CheckoutPanel } from './CheckoutPanel.tsx'

export function Buy() {
  const [bought, show] = useState<Bought>()
  const [isMany, setMany] = useState(false)
  return (
    <Page title="Buy Energy">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack>
          <SegmentedControl
            aria-label="How many receivers"
            value={isMany ? 'many' : 'one'}
            onChange={(chosen) => setMany(chosen === 'many')}
            data={[
              { value: 'one', label: 'One address' },
              { value: 'many', label: 'Many addresses' },
            ]}
          />
          {/* Both stay: a form that comes back without its keys would buy again. */}
          <div hidden={isMany}>
            <BuyForm show={show} />
          </div>
          <div hidden={!isMany}>
            <BatchForm />
          </div>
        </Stack>
        <Stack>
          {bought && (
            <InView key={bought.id}>
              {bought.isCheckout ? (
                <CheckoutPanel id={bought.id} hide={() => show(undefined)} />
              ) : (
                <Followed id={bought.id} />
              )}
            </InView>
          )}
          <Unpaid besides={bought?.id} show={show} />
          <Prices />
        </Stack>
      </SimpleGrid>
    </Page>
  )
}

/** On a phone what was just bought is below the form: without this nothing seems to happen. */
function InView({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Some browsers answer with a promise, which React would take for a clean-up.
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return <div ref={place}>{children}</div>
}

function Followed({ id }: { id: string }) {
  const { data } = useQuery(orderQuery(id))
  return (
    <Panel title="Your order" action={<OrderLink id={id} />}>
      <div aria-live="polite">{data ? <Timeline order={data} /> : <RowsSkeleton rows={4} />}</div>
    </Panel>
  )
}

const UNPAID_SHOWN = 3

/** Leads back to orders that wait for a transfer, so that nobody makes the same one again. */
function Unpaid({ besides, show }: { besides: string | undefined; show(bought: Bought): void }) {
  const { data } = useQuery(unpaidQuery)
  const others = data?.orders.filter(({ id }) => id !== besides) ?? []
  if (others.length === 0) return null
  return (
    <Panel title="Awaiting your payment" action={<Link to="/orders">All orders</Link>}>
      <ul className="plain-list">
        {others.slice(0, UNPAID_SHOWN).map((order) => (
          <li key={order.id}>
            <span>
              <Energy value={order.resource_amount} /> Energy for{' '}
              <Address value={order.receiver_address} />
              <span className="soft">
                {' '}
                <When at={order.created_at} />
              </span>
            </span>
            <Button
              size="xs"
              variant="default"
              onClick={() => show({ id: order.id, isCheckout: true })}
            >
              Show
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Prices() {
  const { data } = useQuery(pricingQuery)
  const { data: overview } = useQuery(overviewQuery)
  const hour = new Date(useNow()).getUTCHours()
  const prices = data?.schedule.map(Number) ?? []
  const discount = overview?.discount_basis_points ?? 0
  const own = discount > 0 && prices.map((price) => price * (1 - discount / 10_000))
  return (
    <Panel title="Price by hour">
      {data ? (
        <>
          <PriceChart prices={prices} hour={hour} {...(own && { own })} />
          <Text size="sm" c="dimmed" mt="xs">
            SUN per Energy, hours in UTC.
          </Text>
        </>
      ) : (
        <RowsSkeleton rows={5} />
      )}
    </Panel>
  )
}
