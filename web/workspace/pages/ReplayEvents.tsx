import type { postWebhookReplay, Reply } from '@ergon/contract'
import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../shared/api.ts'
import { serverNow } from '../../shared/clock.ts'
import { grouped } from '../../shared/money.ts'
import { Trouble } from '../../shared/Page.tsx'
import { againWebhooks, type Webhook } from '../queries.ts'

const HOUR_MS = 3_600_000
const TIMES = [
  { label: 'The last hour', value: '1' },
  { label: 'The last day', value: '24' },
  { label: 'The last 7 days', value: '168' },
  // A minute less: the service refuses what is older than 30 days.
  { label: 'The last 30 days', value: '719.98' },
]

/** Sends the events of a time again, of the types that the webhook chooses. */
export function ReplayEvents({ webhook }: { webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false)
  const [hours, setHours] = useState('24')
  const types = Object.keys(webhook.events).filter((type) => webhook.events[type])
  const replay = useMutation({
    mutationFn: () => {
      const from = new Date(serverNow() - Number(hours) * HOUR_MS).toISOString()
      return post<Reply<typeof postWebhookReplay>>(`/webhooks/${webhook.id}/replay`, {
        from,
        types,
      })
    },
    onSuccess: againWebhooks,
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Replay events
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title="Send events again"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>
            In the order in which they happened, one at a time, at most 10 a second. Your server
            knows them by their event ids.
          </Text>
          <NativeSelect
            label="From"
            data={TIMES}
            value={hours}
            onChange={(event) => setHours(event.currentTarget.value)}
          />
          <Trouble error={replay.error} />
          <Button
            loading={replay.isPending}
            disabled={types.length === 0}
            onClick={() => replay.mutate()}
          >
            Send them again
          </Button>
          <Text size="sm" aria-live="polite">
            {replay.data && `${grouped(replay.data.events)} events are on their way.`}
          </Text>
        </Stack>
      </Modal>
    </>
  )
}
