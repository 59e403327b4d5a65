import { Button, Drawer, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../shared/api.ts'
import { RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { When } from '../../shared/When.tsx'
import { againWebhooks, deliveriesQuery, type Webhook } from '../queries.ts'
import { DeliveryDetail } from './DeliveryDetail.tsx'

const SHOWN = [5, 25, 100] as const

const LOST: Record<string, string> = {
  timeout: 'No answer in 5 s',
  connection_failed: 'No connection',
  connection_refused: 'Connection refused',
  tls_failed: 'Certificate not valid',
  host_not_public: 'Host not public',
  host_not_resolved: 'Host not found',
  url_refused: 'URL not allowed',
  webhook_disabled: 'Not sent: was off',
  internal_error: 'Our fault',
}

type Delivery = { status: string; response_status: number | null; error: string | null }

function answerWords({ response_status, error }: Delivery): string {
  if (response_status !== null) return `HTTP ${response_status}`
  return error === null ? '–' : (LOST[error] ?? error)
}

function rateWords(deliveries: Delivery[]): string {
  const count = (status: string) => deliveries.filter((one) => one.status === status).length
  const waiting = count('pending')
  const arrived = `${count('delivered')} of the last ${deliveries.length} arrived`
  return waiting === 0 ? `${arrived}.` : `${arrived}, ${waiting} still being tried.`
}

/** The deliveries of a webhook, the receivers' answers, and a button to send one again. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [step, setStep] = useState(0)
  const [chosen, setChosen] = useState('')
  const { data, error, refetch } = useQuery(deliveriesQuery(webhook.id, SHOWN[step]!))
  const resend = useMutation({
    mutationFn: (id: string) => post(`/webhooks/${webhook.id}/deliveries/${id}/resend`),
    onSuccess: againWebhooks,
  })
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data) return <RowsSkeleton rows={3} />
  const { deliveries, has_more } = data
  if (deliveries.length === 0) {
    return <Text c="dimmed">Nothing was sent yet. Send a test, or wait for the first event.</Text>
  }
  return (
    <section aria-label={`Deliveries of ${webhook.name}`}>
      <Text fw={600} mb="xs" aria-live="polite">
        {rateWords(deliveries)}
      </Text>
      <Trouble error={resend.error} />
      <div className="scroll">
        <table className="rows stack">
          <thead>
            <tr>
              <th>Status</th>
              <th>Event</th>
              <th>Response</th>
              <th className="right">Attempts</th>
              <th>When</th>
              <th>
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr key={delivery.id} className="open" onClick={() => setChosen(delivery.id)}>
                <td>
                  <StatusChip status={delivery.status} />
                </td>
                <td>
                  <code title={`Event ${delivery.event_id}`}>{delivery.event_type}</code>
                </td>
                <td className="nowrap" data-label="Response">
                  {answerWords(delivery)}
                  {delivery.next_attempt_at && delivery.attempts > 0 && (
                    <div className="soft">
                      next try <When at={delivery.next_attempt_at} />
                    </div>
                  )}
                </td>
                <td className="right" data-label="Attempts">
                  {delivery.attempts}
                </td>
                <td className="nowrap">
                  <When at={delivery.created_at} />
                </td>
                <td className="right">
                  <button
                    type="button"
                    className="plain"
                    aria-label={`Details of ${delivery.event_type}`}
                    onClick={() => setChosen(delivery.id)}
                  >
                    Details
                  </button>{' '}
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={webhook.status === 'disabled'}
                    loading={resend.isPending && resend.variables === delivery.id}
                    aria-label={`Send again: ${delivery.event_type}`}
                    onClick={(event) => {
                      event.stopPropagation()
                      resend.mutate(delivery.id)
                    }}
                  >
                    Send again
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {has_more && step < SHOWN.length - 1 && (
        <Button size="xs" variant="subtle" onClick={() => setStep(step + 1)}>
          Show more
        </Button>
      )}
      <Drawer
        opened={chosen !== ''}
        onClose={() => setChosen('')}
        position="right"
        size="lg"
        title="Delivery"
        closeButtonProps={{ 'aria-label': 'Close the delivery' }}
      >
        {chosen && <DeliveryDetail webhook={webhook.id} id={chosen} />}
      </Drawer>
    </section>
  )
}
