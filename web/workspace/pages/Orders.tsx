import { Button, Drawer, Group, Pagination, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Address } from '../../shared/Address.tsx'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { counted, grouped } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { sourceWords } from '../../shared/sources.ts'
import { isRefunded, type Order, Timeline } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { type OrderFilter, orderQuery, ordersQuery, proofQuery, queryClient } from '../queries.ts'
import { CheckoutPanel } from './CheckoutPanel.tsx'
import { OrderFilters } from './OrderFilters.tsx'
import { OrderTable } from './OrderTable.tsx'

const SIZE = 20
const FILE_PAGES_MAX = 100

type Search = OrderFilter & { page?: number; id?: string }

export function Orders() {
  const { page = 1, id, ...filter }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (next: Search) => navigate({ to: '/orders', search: next })
  const here = page > 1 ? { ...filter, page } : filter
  const { data, error, refetch } = useQuery(ordersQuery({ ...filter, page, size: SIZE }))
  return (
    <Page title="Orders" action={<SaveButton filter={filter} />}>
      <OrderFilters filter={filter} change={go} />
      {error && <Trouble error={error} retry={refetch} />}
      <Panel>
        {!data ? (
          <RowsSkeleton rows={8} />
        ) : data.orders.length === 0 ? (
          <Nothing filtered={Object.keys(filter).length > 0} />
        ) : (
          <OrderTable orders={data.orders} open={(next) => go({ ...here, id: next })} />
        )}
      </Panel>
      {data && <Sums {...data} />}
      {data && data.total > SIZE && (
        <Pagination
          total={Math.ceil(data.total / SIZE)}
          value={page}
          onChange={(next) => go({ ...filter, page: next })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
      <Drawer
        opened={id !== undefined}
        onClose={() => go(here)}
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

type SumProps = { total: number; energy?: number; spent_trx?: string; is_whole?: boolean }

/** What the filter has found, in numbers. */
function Sums({ total, energy, spent_trx, is_whole = true }: SumProps) {
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {counted(total, 'order')}
      {energy === 0 && ', none of them completed'}
      {spent_trx !== undefined && energy !== undefined && energy > 0 && (
        <>
          ; those completed have {grouped(energy)} Energy and cost <Trx value={spent_trx} unit />
        </>
      )}
      {!is_whole && ', among your newest 20,000'}.
    </Text>
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No order matches">
        Choose other days or states, or a shorter part of the address.
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
  const proof = useQuery({ ...proofQuery(id), enabled: data?.status === 'COMPLETED' })
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data) return <RowsSkeleton />
  if (data.status === 'AWAITING_PAYMENT') return <CheckoutPanel id={id} />
  return (
    <Stack>
      <Group justify="space-between">
        <StatusChip status={data.status} />
        <Text fw={600}>
          <Energy value={data.resource_amount} /> Energy
        </Text>
      </Group>
      <div aria-live="polite">
        <Timeline order={data} credits={proof.data?.credits} />
      </div>
      <Facts order={data} />
    </Stack>
  )
}

function Facts({ order }: { order: Order }) {
  const refunded = isRefunded(order)
  const facts = [
    ['Order', <Address key="id" value={order.id} />],
    ['Receiver', <Address key="to" value={order.receiver_address} whole />],
    [
      refunded ? 'Price, refunded' : 'Price',
      <Trx key="price" value={order.total_price_trx} unit className={refunded ? 'refunded' : ''} />,
    ],
    ['Created', <When key="at" at={order.created_at} />],
    ['Bought through', sourceWords(order.source)],
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

function SaveButton({ filter }: { filter: OrderFilter }) {
  const save = useMutation({
    async mutationFn() {
      const all: Order[] = []
      for (let page = 1; page <= FILE_PAGES_MAX; page++) {
        const { orders, total } = await queryClient.fetchQuery(
          ordersQuery({ ...filter, page, size: 100 }),
        )
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
