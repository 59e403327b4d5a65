import { SimpleGrid, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { patch } from '../shared/api.ts'
import { Trouble } from '../shared/Page.tsx'

const WHEN: Record<string, string> = {
  'order.status_changed': 'An order is delivered or has failed',
  'order.energy_reclaimed': 'Energy of an order was taken back early, and credited',
  'balance.credited': 'A deposit or another credit arrives',
  'balance.changed': 'Every movement of the balance',
  'balance.low': 'The balance falls below your threshold',
  'autoenergy.delegated': 'AutoEnergy covers a transfer',
  'autoenergy.closed': 'A subscription stops',
  'autoenergy.activated': 'A subscription becomes active',
  'autoenergy.budget_near': 'A subscription has used 80 % of a budget',
  'autoenergy.budget_reached': 'A budget of a subscription is used up',
  'agent.sale': 'A customer has bought from you',
  'agent.payment_skipped': 'A customer’s payment is skipped',
  'agent.config_at_risk': 'A pay page no longer covers its cost',
  'account.daily_summary': 'Once a day: what was bought and spent',
  'webhook.disabled': 'A webhook was turned off by its failures',
}

type Props = {
  events: Record<string, boolean>
  /** The path to change, such as /webhooks/ID. */
  path: string
  /** Reloads the list. */
  again(): Promise<void>
}

/** Which events a webhook or a chat gets, one switch each. */
export function EventSwitches({ events, path, again }: Props) {
  const all = Object.entries(events)
  const on = all.filter(([, isSent]) => isSent).length
  return (
    <details className="fold">
      <summary>
        Events: {on} of {all.length} switched on
      </summary>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mt="sm">
        {all.map(([type, isSent]) => (
          <EventSwitch key={type} path={path} type={type} isSent={isSent} again={again} />
        ))}
      </SimpleGrid>
    </details>
  )
}

function EventSwitch({
  path,
  type,
  isSent,
  again,
}: Pick<Props, 'path' | 'again'> & { type: string; isSent: boolean }) {
  // Pending until the list is reloaded, so that the switch never jumps back.
  const change = useMutation({
    mutationFn: (on: boolean) => patch(path, { events: { [type]: on } }),
    onSuccess: again,
  })
  return (
    <div>
      <Switch
        size="sm"
        label={WHEN[type] ?? type}
        description={<code>{type}</code>}
        checked={change.isPending ? change.variables : isSent}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Trouble error={change.error} />
    </div>
  )
}
