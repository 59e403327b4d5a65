import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiTrouble, patch, post } from '../../shared/api.ts'
import { IconAlert, IconPlus } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { When } from '../../shared/When.tsx'
import { EventSwitches } from '../EventSwitches.tsx'
import { againWebhooks, type Webhook, webhooksQuery } from '../queries.ts'
import { disabledWords } from '../reasons.ts'
import { Deliveries } from './Deliveries.tsx'
import { ReplayEvents } from './ReplayEvents.tsx'
import { DeleteWebhook, RotateSecret, SecretOnce, WebhookForm } from './WebhookForms.tsx'

/** The webhooks, with the state of their deliveries. */
export function Webhooks() {
  const { data, error, refetch } = useQuery(webhooksQuery)
  const [opened, form] = useDisclosure(false)
  const [secret, showSecret] = useState('')
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={form.open}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" action={data && data.webhooks.length > 0 ? button : undefined}>
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton />
      ) : data.webhooks.length === 0 ? (
        <EmptyState title="Receive events instead of polling" action={button}>
          When an order is delivered or a deposit arrives, your server gets a signed message within
          seconds, and again until it has arrived.
        </EmptyState>
      ) : (
        data.webhooks.map((webhook) => (
          <Card key={webhook.id} webhook={webhook} showSecret={showSecret} />
        ))
      )}
      <WebhookForm opened={opened} close={form.close} showSecret={showSecret} />
      <SecretOnce secret={secret} done={() => showSecret('')} />
    </Page>
  )
}

function Card({ webhook, showSecret }: { webhook: Webhook; showSecret(secret: string): void }) {
  const path = `/webhooks/${webhook.id}`
  const [opened, form] = useDisclosure(false)
  const change = useMutation({
    mutationFn: (status: Webhook['status']) => patch(path, { status }),
    onSuccess: againWebhooks,
  })
  const trial = useMutation({
    mutationFn: () => post(`${path}/test`),
    onSettled: againWebhooks,
  })
  const lost = trial.error instanceof ApiTrouble && trial.error.code === 'delivery_failed'
  const active = webhook.status === 'active'
  return (
    <Panel title={webhook.name} action={<StatusChip status={webhook.status} />}>
      <Stack gap="md">
        <div>
          <Text className="secret">{webhook.url}</Text>
          <Text size="sm" c="dimmed">
            Last success <When at={webhook.last_success_at} />, last failure{' '}
            <When at={webhook.last_failure_at} />
          </Text>
        </div>
        {webhook.disabled_reason && (
          <Alert color="yellow" variant="light" icon={<IconAlert />}>
            <Group justify="space-between">
              <Text size="sm">
                Nothing is sent. {disabledWords(webhook.disabled_reason)} What was not sent
                meanwhile can be resent below.
              </Text>
              <Button size="xs" loading={change.isPending} onClick={() => change.mutate('active')}>
                Enable again
              </Button>
            </Group>
          </Alert>
        )}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={trial.isPending}
            onClick={() => trial.mutate()}
          >
            Send a test
          </Button>
          <Button size="xs" variant="default" onClick={form.open}>
            Change
          </Button>
          <RotateSecret path={path} showSecret={showSecret} />
          {active && <ReplayEvents webhook={webhook} />}
          {active && (
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate('disabled')}
            >
              Turn off
            </Button>
          )}
          <DeleteWebhook webhook={webhook} />
          <span aria-live="polite" className={lost ? 'chip bad' : 'chip done'}>
            {trial.isSuccess && 'The test arrived.'}
            {lost && 'The test did not arrive. The log says why.'}
          </span>
        </Group>
        <Trouble error={change.error ?? (lost ? undefined : trial.error)} />
        <EventSwitches events={webhook.events} path={path} again={againWebhooks} />
        <Deliveries webhook={webhook} />
      </Stack>
      <WebhookForm opened={opened} close={form.close} showSecret={showSecret} webhook={webhook} />
    </Panel>
  )
}
