import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { patch, post } from '../../shared/api.ts'
import { IconAlert } from '../../shared/icons.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { useNow } from '../../shared/useNow.ts'
import { attentionOf, type Item } from '../attention.ts'
import {
  accountQuery,
  againAgent,
  agentConfigsQuery,
  queryClient,
  settingsQuery,
  subscriptionsQuery,
  webhooksQuery,
} from '../queries.ts'

const SHOWN = 5
const MINUTE_MS = 60_000

/** Items that need attention, each with its remedy. */
export function Attention() {
  const { data: account } = useQuery(accountQuery)
  const { data: settings } = useQuery(settingsQuery)
  const { data: webhooks } = useQuery(webhooksQuery)
  const { data: agent } = useQuery(agentConfigsQuery)
  const { data: subscriptions } = useQuery(subscriptionsQuery)
  const nowMs = useNow(MINUTE_MS)
  const items = attentionOf({
    nowMs,
    balanceTrx: account?.balance_trx,
    lowBalanceTrx: settings?.low_balance_trx,
    webhooks: webhooks?.webhooks,
    configs: agent?.items,
    subscriptions,
  })
  if (items.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="Needs attention">
      {items.slice(0, SHOWN).map((item) => (
        <Row key={item.key} item={item} />
      ))}
      {items.length > SHOWN && (
        <Text size="sm" c="dimmed">
          And {items.length - SHOWN} more.
        </Text>
      )}
    </Stack>
  )
}

function Row({ item: { title, text, remedy } }: { item: Item }) {
  const mend = useMutation({
    async mutationFn() {
      if (!('call' in remedy)) return
      if (remedy.call === 'enable') {
        await patch(`/webhooks/${remedy.webhook}`, { status: 'active' })
      } else await post(`/agent/configs/${remedy.config}/resume`)
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
        againAgent(),
      ]),
  })
  return (
    <Alert color="yellow" variant="light" icon={<IconAlert />} title={title}>
      <Group justify="space-between">
        <Text size="sm">{text}</Text>
        {'call' in remedy ? (
          <Button size="xs" loading={mend.isPending} onClick={() => mend.mutate()}>
            {remedy.name}
          </Button>
        ) : (
          <Button size="xs" component={Link} to={remedy.to}>
            {remedy.name}
          </Button>
        )}
      </Group>
      <Trouble error={mend.error} />
    </Alert>
  )
}
