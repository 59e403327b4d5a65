import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { IconDone, IconFailed } from '../../shared/icons.tsx'
import { RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { When } from '../../shared/When.tsx'
import { deliveryQuery, type InspectedDelivery } from '../queries.ts'
import { signatureOf } from '../verifySignature.ts'

/** One delivery: what was sent, what came of each attempt, and how to verify it. */
export function DeliveryDetail({ webhook, id }: { webhook: string; id: string }) {
  const { data, error, refetch } = useQuery(deliveryQuery(webhook, id))
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data) return <RowsSkeleton />
  return (
    <Stack>
      <Group justify="space-between">
        <StatusChip status={data.status} />
        <code>{data.event_type}</code>
      </Group>
      <dl className="facts">
        <div>
          <dt>Delivery id</dt>
          <dd>
            <Address value={data.id} />
          </dd>
        </div>
        <div>
          <dt>Event id</dt>
          <dd>
            <Address value={data.event_id} />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <When at={data.created_at} />
          </dd>
        </div>
        {data.next_attempt_at && (
          <div>
            <dt>Next try</dt>
            <dd>
              <When at={data.next_attempt_at} />
            </dd>
          </div>
        )}
      </dl>
      <Attempts delivery={data} />
      <Sent delivery={data} />
      {data.headers.length > 0 && <Verify delivery={data} />}
    </Stack>
  )
}

function Attempts({ delivery: { log, attempts } }: { delivery: InspectedDelivery }) {
  return (
    <section aria-label="Attempts">
      <Title order={3} size="h5" mb="xs">
        Attempts
      </Title>
      {log.length < attempts && (
        <Text size="sm" c="dimmed">
          There were {attempts} attempts; only the responses of the last ones were kept.
        </Text>
      )}
      {attempts === 0 && <Text c="dimmed">Not sent yet.</Text>}
      <ol className="steps">
        {log.map((attempt) => (
          <li key={attempt.at}>
            <When at={attempt.at} />
            {attempt.duration_ms !== null && ` · ${attempt.duration_ms} ms`}
            {attempt.response_status !== null && ` · HTTP ${attempt.response_status}`}
            {attempt.reason && <div>{attempt.reason}</div>}
            {attempt.answer && <Shown title="Response body">{attempt.answer}</Shown>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Sent({ delivery: { url, headers, body } }: { delivery: InspectedDelivery }) {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return (
    <section aria-label="Request">
      <Title order={3} size="h5" mb="xs">
        Request
      </Title>
      <Text className="secret">POST {url}</Text>
      {lines.length > 0 && <Shown title="Headers of the last attempt">{lines.join('\n')}</Shown>}
      <Shown title="Body">{JSON.stringify(JSON.parse(body), null, 2)}</Shown>
      <Group mt="xs" gap="xs">
        <Text size="sm" c="dimmed">
          Shown with line breaks; the bytes that are signed have none.
        </Text>
        <CopyText text={body} />
      </Group>
    </section>
  )
}

function CopyText({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <Button size="compact-xs" variant="default" onClick={copy}>
      {isCopied ? 'Copied' : 'Copy the body'}
    </Button>
  )
}

type Checked = { made: string; isSame: boolean }

function Verify({ delivery: { headers, body } }: { delivery: InspectedDelivery }) {
  const [secret, setSecret] = useState('')
  const [checked, setChecked] = useState<Checked>()
  const headerOf = (name: string) => headers.find((header) => header.name === name)?.value ?? ''
  const timestamp = headerOf('X-Service-Timestamp')
  const signatures = [headerOf('X-Service-Signature'), headerOf('X-Service-Signature-Next')]
  const verify = async (event: FormEvent) => {
    event.preventDefault()
    const made = await signatureOf(secret.trim(), timestamp, body)
    setChecked({ made, isSame: signatures.includes(made) })
  }
  return (
    <section aria-label="Verify the signature">
      <Title order={3} size="h5" mb="xs">
        Verify the signature
      </Title>
      <Text size="sm">
        HMAC-SHA256 of the timestamp, a full stop and the body, with the signing secret as the key.
      </Text>
      <Shown title="What is signed">{`${timestamp}.${body}`}</Shown>
      <form onSubmit={verify}>
        <Group align="flex-end" mt="sm">
          <PasswordInput
            label="Signing secret"
            description="It stays in this browser."
            placeholder="whsec_…"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            required
            flex={1}
          />
          <Button type="submit" variant="default">
            Verify
          </Button>
        </Group>
      </form>
      <div role="status">
        {checked && (
          <>
            <Shown title="Signature that this secret makes">{checked.made}</Shown>
            <p className={`chip sentence ${checked.isSame ? 'done' : 'bad'}`}>
              {checked.isSame ? <IconDone size={14} /> : <IconFailed size={14} />}
              {checked.isSame
                ? 'It matches the header: the delivery is from Ergon, and unchanged.'
                : 'It does not match the header. The secret may be of another webhook, or replaced since.'}
            </p>
          </>
        )}
      </div>
    </section>
  )
}

/** Text as it is, in lines that break. */
function Shown({ title, children }: { title: string; children: string }) {
  return (
    <figure className="shown">
      <figcaption className="soft">{title}</figcaption>
      <pre className="evidence">{children}</pre>
    </figure>
  )
}
