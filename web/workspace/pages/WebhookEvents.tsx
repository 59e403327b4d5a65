import { SimpleGrid, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { patch } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { againWebhooks, type Webhook } from '../queries.ts'

const WHEN: Record<string, string> = {
  'order.status_changed': 'An order is delivered or has failed',
  'balance.credited': 'A deposit or another credit arrives',
  'balance.changed': 'Every movement of the balance',
  'balance.low': 'The balance falls below your threshold',
  'autoenergy.delegated': 'AutoEnergy covers a transfer',
  'autoenergy.closed': 'A subscription stops',
  'autoenergy.activated': 'A subscription becomes active',
  'agent.sale': 'A customer has bought from you',
  'agent.payment_skipped': 'A customer’s payment is skipped',
  'agent.config_at_risk': 'A pay page no longer covers its cost',
  'account.daily_summary': 'Once a day: what was bought and spent',
}

/** Which events are sent, one switch each. */
export function WebhookEvents({ webhook }: { webhook: Webhook }) {
  const all = Object.entries(webhook.events)
  const on = all.filter(([, sent]) => sent).length
  return (
    <details className="fold">
      <summary>
        Events: {on} of {all.length} sent
      </summary>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mt="sm">
        {all.map(([type, sent]) => (
          <EventSwitch key={type} webhook={webhook.id} type={type} sent={sent} />
        ))}
      </SimpleGrid>
    </details>
  )
}

function EventSwitch({ webhook, type, sent }: { webhook: string; type: string; sent: boolean }) {
  // Pending until the list is read again, so that the switch never jumps back.
  const change = useMutation({
    mutationFn: (on: boolean) => patch(`/webhooks/${webhook}`, { events: { [type]: on } }),
    onSuccess: againWebhooks,
  })
  return (
    <div>
      <Switch
        size="sm"
        label={WHEN[type] ?? type}
        description={<code>{type}</code>}
        checked={change.isPending ? change.variables : sent}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Trouble error={change.error} />
    </div>
  )
}
