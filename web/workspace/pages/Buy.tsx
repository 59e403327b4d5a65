import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { PriceChart } from '../../shared/charts/PriceChart.tsx'
import { Page, Panel, RowsSkeleton } from '../../shared/Page.tsx'
import { Timeline } from '../../shared/Timeline.tsx'
import { useNow } from '../../shared/useNow.ts'
import { orderQuery, overviewQuery, pricingQuery } from '../queries.ts'
import { BatchForm } from './BatchForm.tsx'
import { BuyForm } from './BuyForm.tsx'
import { CheckoutPanel } from './CheckoutPanel.tsx'

export function Buy() {
  const [orderId, setOrderId] = useState('')
  const [checkoutId, setCheckoutId] = useState('')
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
          {isMany ? (
            <BatchForm />
          ) : (
            <BuyForm
              onBought={(id) => {
                setCheckoutId('')
                setOrderId(id)
              }}
              onCheckout={(id) => {
                setOrderId('')
                setCheckoutId(id)
              }}
            />
          )}
        </Stack>
        <Stack>
          {orderId && (
            <InView key={orderId}>
              <Followed id={orderId} />
            </InView>
          )}
          {checkoutId && (
            <InView key={checkoutId}>
              <CheckoutPanel id={checkoutId} />
            </InView>
          )}
          <Prices />
        </Stack>
      </SimpleGrid>
    </Page>
  )
}

/** On a phone what was just bought is below the form: without this nothing seems to happen. */
function InView({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [])
  return <div ref={place}>{children}</div>
}

function Followed({ id }: { id: string }) {
  const { data } = useQuery(orderQuery(id))
  return (
    <Panel title="Your order">
      <div aria-live="polite">{data ? <Timeline order={data} /> : <RowsSkeleton rows={4} />}</div>
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
