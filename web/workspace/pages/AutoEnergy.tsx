import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { post, remove } from '../../shared/api.ts'
import { IconPlus } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { queryClient, type Subscription, subscriptionsQuery } from '../queries.ts'
import { closedWords } from '../reasons.ts'
import { AutoEnergySavings } from './AutoEnergySavings.tsx'
import { CoverForm } from './CoverForm.tsx'
import { SubscriptionUsage } from './SubscriptionUsage.tsx'

const again = () => queryClient.invalidateQueries({ queryKey: subscriptionsQuery.queryKey })

/** The covered addresses, and the savings. */
export function AutoEnergy() {
  const { data, error, refetch } = useQuery(subscriptionsQuery)
  const [opened, form] = useDisclosure(false)
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={form.open}>
      Cover addresses
    </Button>
  )
  return (
    <Page title="AutoEnergy" action={data && data.length > 0 ? button : undefined}>
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton />
      ) : data.length === 0 ? (
        <EmptyState title="Never think of Energy again" action={button}>
          Cover an address once. It has Energy for its next transfer at all times, each transfer is
          billed by its size, and no TRX is burned.
        </EmptyState>
      ) : (
        <>
          <AutoEnergySavings subscriptions={data} />
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {data.map((subscription) => (
              <Card key={subscription.id} subscription={subscription} />
            ))}
          </SimpleGrid>
        </>
      )}
      <CoverForm opened={opened} close={form.close} covered={again} />
    </Page>
  )
}

function Card({ subscription }: { subscription: Subscription }) {
  const { address, status } = subscription
  const path = `/autoenergy/subscriptions/${address}`
  const act = useMutation({
    mutationFn: (what: 'close' | 'reactivate' | 'delete') =>
      what === 'delete' ? remove(path) : post<unknown>(`${path}/${what}`),
    onSuccess: again,
  })
  const closed = status === 'closed'
  const quota = subscription.quota_max_tx
  return (
    <Panel action={<StatusChip status={status} />} title={subscription.plan.name ?? 'Standard'}>
      <Stack gap="xs">
        <Address value={address} />
        <Text>
          {subscription.tx_used_total} {quota === null ? 'transfers' : `of ${quota} transfers`},
          saved <Trx value={subscription.saved_trx} unit />
        </Text>
        <Text size="sm" c="dimmed">
          {closed ? (
            <>
              {closedWords(subscription.close_reason ?? '')} <When at={subscription.closed_at} />
            </>
          ) : subscription.paused_until ? (
            <>
              Paused: a budget is used up. Cover returns <When at={subscription.paused_until} />.
            </>
          ) : (
            <>
              Last transfer <When at={subscription.last_activity_at} />. Closes after{' '}
              {subscription.idle_hours} idle hours.
            </>
          )}
        </Text>
        <Costs subscription={subscription} />
        {subscription.owed_trx !== '0' && (
          <Text size="sm">
            Owed for transfers after the close: <Trx value={subscription.owed_trx} unit />. Charged
            when you cover it again.
          </Text>
        )}
        <Trouble error={act.error} />
        <Group gap="xs">
          {closed ? (
            <>
              <Button size="xs" loading={act.isPending} onClick={() => act.mutate('reactivate')}>
                Cover again
              </Button>
              <Button
                size="xs"
                variant="subtle"
                color="red"
                disabled={act.isPending}
                onClick={() => act.mutate('delete')}
              >
                Remove
              </Button>
            </>
          ) : (
            <Button
              size="xs"
              variant="default"
              loading={act.isPending}
              onClick={() => act.mutate('close')}
            >
              Close
            </Button>
          )}
        </Group>
        <SubscriptionUsage address={address} />
      </Stack>
    </Panel>
  )
}

/** What the transfers have cost, of which budget, and what the month will cost. */
function Costs({ subscription }: { subscription: Subscription }) {
  const { daily_budget_trx: daily, monthly_budget_trx: monthly } = subscription
  return (
    <Text size="sm">
      Today <Trx value={subscription.spent_today_trx} unit />
      {daily && (
        <>
          {' '}
          of <Trx value={daily} unit />
        </>
      )}
      , this month <Trx value={subscription.spent_this_month_trx} unit />
      {monthly && (
        <>
          {' '}
          of <Trx value={monthly} unit />
        </>
      )}
      . Forecast for the month, with fees: <Trx value={subscription.forecast_month_trx} unit />
    </Text>
  )
}
