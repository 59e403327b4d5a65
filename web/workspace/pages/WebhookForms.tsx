import { Alert, Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { ApiTrouble, patch, post, remove, request } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { againWebhooks, sessionQuery, type Webhook } from '../queries.ts'

const CLOSE = { 'aria-label': 'Close' }
const OVERLAP_HOURS = 24

type Shown = { signing_secret?: string }
type FormProps = {
  opened: boolean
  close(): void
  showSecret(secret: string): void
  /** The webhook to change; absent: a new one. */
  webhook?: Webhook
}

export function WebhookForm({ opened, close, showSecret, webhook }: FormProps) {
  const { data: session } = useQuery(sessionQuery)
  const form = useForm({ initialValues: { name: webhook?.name ?? '', url: webhook?.url ?? '' } })
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      webhook ? patch<Shown>(`/webhooks/${webhook.id}`, values) : post<Shown>('/webhooks', values),
    onSuccess({ signing_secret }, values) {
      if (webhook) form.setInitialValues(values)
      form.reset()
      close()
      if (signing_secret) showSecret(signing_secret)
      return againWebhooks()
    },
  })
  const sink = useMutation({
    mutationFn: () => request<{ url: string }>('POST', '/sandbox/webhook-sink', {}),
    onSuccess: ({ url }) => form.setFieldValue('url', url),
  })
  const poor = save.error instanceof ApiTrouble && save.error.code === 'deposit_required'
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={webhook ? `Change ${webhook.name}` : 'New webhook'}
      closeButtonProps={CLOSE}
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput
            label="Name"
            description="What it is for"
            maxLength={80}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label="URL"
            description="HTTPS, on a public host"
            placeholder="https://"
            maxLength={2_048}
            required
            {...form.getInputProps('url')}
          />
          {session?.sandbox && (
            <Button variant="default" loading={sink.isPending} onClick={() => sink.mutate()}>
              Use a receiver of the sandbox
            </Button>
          )}
          <Trouble
            error={save.error ?? sink.error}
            action={
              poor && (
                <Button size="xs" component={Link} to="/deposits">
                  Top up
                </Button>
              )
            }
          />
          <Button type="submit" loading={save.isPending}>
            {webhook ? 'Save' : 'Create webhook'}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

export function SecretOnce({ secret, done }: { secret: string; done(): void }) {
  return (
    <Modal
      opened={secret !== ''}
      onClose={done}
      title="Signing secret"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light">
          Copy it now. It is shown this once. Your server checks each message with it, prefix
          included.
        </Alert>
        <Address value={secret} whole />
        <Button onClick={done}>I have copied it</Button>
      </Stack>
    </Modal>
  )
}

export function RotateSecret(props: { path: string; showSecret(secret: string): void }) {
  const [opened, { open, close }] = useDisclosure(false)
  const [atOnce, setAtOnce] = useState(false)
  const rotate = useMutation({
    mutationFn: () =>
      post<{ signing_secret: string }>(`${props.path}/rotate-secret`, {
        overlap_hours: atOnce ? 0 : OVERLAP_HOURS,
      }),
    onSuccess({ signing_secret }) {
      close()
      props.showSecret(signing_secret)
    },
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Rotate secret
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title="Rotate the signing secret"
        closeButtonProps={CLOSE}
      >
        <Stack>
          <Text>
            {atOnce
              ? 'The old secret is worth nothing at once. Messages fail your check until your server has the new one.'
              : `For ${OVERLAP_HOURS} hours each message carries both signatures, so that your server can change over.`}
          </Text>
          <Switch
            label="It has leaked: replace it at once"
            checked={atOnce}
            onChange={(event) => setAtOnce(event.currentTarget.checked)}
          />
          <Trouble error={rotate.error} />
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Make a new secret
          </Button>
        </Stack>
      </Modal>
    </>
  )
}

export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false)
  const removal = useMutation({
    mutationFn: () => remove(`/webhooks/${webhook.id}`),
    onSuccess: againWebhooks,
  })
  return (
    <>
      <Button size="xs" variant="subtle" color="red" onClick={open}>
        Delete
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Delete ${webhook.name}?`}
        closeButtonProps={CLOSE}
      >
        <Stack>
          <Text>
            Nothing more is sent to it, its log is gone, and so is its secret. To stop it for a
            while, turn it off instead.
          </Text>
          <Trouble error={removal.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
