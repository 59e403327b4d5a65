import { Anchor, Button, SimpleGrid, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { IconPlus } from '../../shared/icons.tsx'
import { counted, grouped, trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { agentConfigsQuery, agentSummaryQuery } from '../queries.ts'
import { AgentCard } from './AgentCard.tsx'
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
  const unitsMax = Number(summary.data?.max_units_cap ?? 1)
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
            <AgentCard key={config.id} config={config} unitsMax={unitsMax} />
          ))}
        </SimpleGrid>
      )}
      {items.length > 0 && <AgentPayments />}
      {opened && <AgentForm close={form.close} unitsMax={unitsMax} />}
    </Page>
  )
}

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
        {counted(totals.sales, 'sale')}, {grouped(totals.energy)} Energy,{' '}
        <Trx value={trxOf(totals.revenue_sun)} unit /> paid by customers.{' '}
        <Anchor component={Link} to="/agent/sales" underline="always">
          Revenue by day, and skipped payments
        </Anchor>
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
