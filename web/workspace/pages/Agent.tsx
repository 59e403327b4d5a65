import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Address } from '../../shared/Address.tsx'
import { post, remove } from '../../shared/api.ts'
import { IconPlus } from '../../shared/icons.tsx'
import { grouped, trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { againAgent, agentConfigsQuery, agentSummaryQuery } from '../queries.ts'
import { pausedWords } from '../reasons.ts'
import { AgentForm } from './AgentForm.tsx'
import { AgentPayments } from './AgentPayments.tsx'

/** Resale: the earnings, the configurations, and every payment. */
export function Agent() {
  const summary = useQuery(agentSummaryQuery)
  const configs = useQuery(agentConfigsQuery)
  const [opened, form] = useDisclosure(false)
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={form.open}>
      New pay page
    </Button>
  )
  const items = configs.data?.items ?? []
  return (
    <Page title="Agent" action={items.length > 0 ? button : undefined}>
      {summary.error && <Trouble error={summary.error} retry={summary.refetch} />}
      <Profit summary={summary.data} />
      {configs.error && <Trouble error={configs.error} retry={configs.refetch} />}
      {!configs.data ? (
        <RowsSkeleton />
      ) : items.length === 0 ? (
        <EmptyState title="Sell Energy under your own name" action={button}>
          You set a price and share a pay page. Customers send TRX, the Energy goes to them by
          itself, and you keep the difference.
        </EmptyState>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {items.map((config) => (
            <Config key={config.id} config={config} />
          ))}
        </SimpleGrid>
      )}
      {items.length > 0 && <AgentPayments />}
      {summary.data && <AgentForm opened={opened} close={form.close} summary={summary.data} />}
    </Page>
  )
}

const salesWords = (count: bigint | number) =>
  `${grouped(count)} ${String(count) === '1' ? 'sale' : 'sales'}`

type Summary = NonNullable<ReturnType<typeof useSummary>['data']>
const useSummary = () => useQuery(agentSummaryQuery)

function Profit({ summary }: { summary: Summary | undefined }) {
  if (!summary) return <RowsSkeleton rows={3} />
  const { totals, min_balance_sun, can_activate } = summary
  return (
    <Panel title="Profit">
      <Text className="hero" component="p" aria-live="polite">
        <Trx value={trxOf(totals.revenue_sun - totals.cost_sun)} unit />
      </Text>
      <Text c="dimmed">
        {salesWords(totals.sales)}, {grouped(totals.energy)} Energy,{' '}
        <Trx value={trxOf(totals.revenue_sun)} unit /> paid by customers.
      </Text>
      {!can_activate && (
        <Text size="sm" mt="xs">
          To start or resume you need <Trx value={trxOf(min_balance_sun)} unit /> on your balance.{' '}
          <Link to="/deposits">Top up</Link>
        </Text>
      )}
    </Panel>
  )
}

type ConfigItem = NonNullable<ReturnType<typeof useConfigs>['data']>['items'][number]
const useConfigs = () => useQuery(agentConfigsQuery)

function Config({ config }: { config: ConfigItem }) {
  const page = `${location.origin}/pay/${config.public_id}`
  const active = config.status === 'active'
  const change = useMutation({
    mutationFn: () => post(`/agent/configs/${config.id}/${active ? 'pause' : 'resume'}`),
    onSuccess: againAgent,
  })
  const removal = useMutation({
    mutationFn: () => remove(`/agent/configs/${config.id}`),
    onSuccess: againAgent,
  })
  const { stats } = config
  return (
    <Panel title={config.title || 'Pay page'} action={<StatusChip status={config.status} />}>
      <Stack gap="xs">
        <Text>
          <Trx value={trxOf(config.base_payment_sun)} unit /> for {grouped(config.energy_per_unit)}{' '}
          Energy, up to {String(config.max_units)} at once
        </Text>
        <Address value={config.address} />
        <a href={page} target="_blank" rel="noreferrer">
          Look at the pay page
        </a>
        <Text size="sm" c="dimmed">
          {salesWords(stats.sales)}, profit{' '}
          <Trx value={trxOf(stats.revenue_sun - stats.cost_sun)} unit />
        </Text>
        {config.pause_reason && <Text size="sm">{pausedWords(config.pause_reason)}</Text>}
        <Trouble error={change.error ?? removal.error} />
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate()}
          >
            {active ? 'Pause' : 'Resume'}
          </Button>
          {config.mode === 'own' && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              loading={removal.isPending}
              onClick={() => removal.mutate()}
            >
              Delete
            </Button>
          )}
        </Group>
      </Stack>
    </Panel>
  )
}
