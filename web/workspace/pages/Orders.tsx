import { Button, Drawer, Group, Pagination, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload, IconSearch } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { type Order, Timeline } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { orderQuery, ordersQuery, queryClient } from '../queries.ts'
import { OrderTable } from './OrderTable.tsx'

const SIZE = 20
const FILE_PAGES_MAX = 100

type Search = { page?: number; q?: string; id?: string }

export function Orders() {
  const search: Search = useSearch({ strict: false })
  const { page = 1, q = '', id } = search
  const navigate = useNavigate()
  const go = (next: Search) => navigate({ to: '/orders', search: next })
  const { data, error, refetch } = useQuery(ordersQuery(page, q, SIZE))
  const [typed, setTyped] = useState(q)
  const filter = useDebouncedCallback((text: string) => go(text ? { q: text } : {}), 300)
  return (
    <Page title="Orders" action={<SaveButton filter={q} />}>
      <TextInput
        aria-label="Find by address"
        placeholder="Part of an address"
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          filter(event.currentTarget.value.trim())
        }}
        maw={360}
      />
      {error && <Trouble error={error} retry={refetch} />}
      <Panel>
        {!data ? (
          <RowsSkeleton rows={8} />
        ) : data.orders.length === 0 ? (
          <Nothing filtered={q !== ''} />
        ) : (
          <OrderTable orders={data.orders} open={(next) => go({ ...search, id: next })} />
        )}
      </Panel>
      {data && data.total > SIZE && (
        <Pagination
          total={Math.ceil(data.total / SIZE)}
          value={page}
          onChange={(next) => go({ page: next, ...(q && { q }) })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
      <Drawer
        opened={id !== undefined}
        onClose={() => go({ ...(page > 1 && { page }), ...(q && { q }) })}
        position="right"
        size="md"
        title="Order"
        closeButtonProps={{ 'aria-label': 'Close the order' }}
      >
        {id && <OrderDetail id={id} />}
      </Drawer>
    </Page>
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No order matches">
        Try a shorter part of the address, in any case.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="No orders yet"
      action={
        <Button component={Link} to="/buy">
          Buy Energy
        </Button>
      }
    >
      Every purchase is listed here, from the API and from this page, with its delegation on the
      chain.
    </EmptyState>
  )
}

function OrderDetail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(orderQuery(id))
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data) return <RowsSkeleton />
  return (
    <Stack>
      <Group justify="space-between">
        <StatusChip status={data.status} />
        <Text fw={600}>
          <Energy value={data.resource_amount} /> Energy
        </Text>
      </Group>
      <div aria-live="polite">
        <Timeline order={data} />
      </div>
      <Facts order={data} />
    </Stack>
  )
}

function Facts({ order }: { order: Order }) {
  const facts = [
    ['Order', <Address key="id" value={order.id} />],
    ['Receiver', <Address key="to" value={order.receiver_address} whole />],
    ['Price', <Trx key="price" value={order.total_price_trx} unit />],
    ['Bought through', order.source],
    ...(order.buyer_address ? [['Buyer', <Address key="by" value={order.buyer_address} />]] : []),
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={String(name)}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function SaveButton({ filter }: { filter: string }) {
  const save = useMutation({
    async mutationFn() {
      const all: Order[] = []
      for (let page = 1; page <= FILE_PAGES_MAX; page++) {
        const { orders, total } = await queryClient.fetchQuery(ordersQuery(page, filter, 100))
        all.push(...orders)
        if (all.length >= total) break
      }
      saveCsv(
        'ergon-orders.csv',
        ['id', 'status', 'energy', 'receiver', 'price_trx', 'source', 'created_at', 'completed_at'],
        all.map((o) => [
          o.id,
          o.status,
          String(o.resource_amount),
          o.receiver_address,
          o.total_price_trx,
          o.source,
          o.created_at,
          o.completed_at ?? '',
        ]),
      )
    },
  })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      CSV
    </Button>
  )
}
