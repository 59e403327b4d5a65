import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Page, Panel } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Timeline } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { orderQuery, ordersQuery } from '../calls.ts'
import { Details } from '../Details.tsx'
import { Evidence, Rows, Shown } from '../Shown.tsx'

const FILTERS = [
  { value: '', label: 'All' },
  { value: 'PROCESSING', label: 'Under way' },
  { value: 'FAILED', label: 'Failed' },
]

export function Orders() {
  const [status, setStatus] = useState('')
  const [id, setId] = useState('')
  const orders = useQuery(ordersQuery(status))
  return (
    <Page
      title="Orders"
      action={
        <SegmentedControl
          data={FILTERS}
          value={status}
          onChange={setStatus}
          aria-label="Which orders"
        />
      }
    >
      <Panel>
        <Shown query={orders}>
          {(data) => (
            <Rows
              label="Orders"
              head={['Status', 'Energy', 'Receiver', 'Account', 'TRX', 'When', 'Story']}
            >
              {data.orders.map((order) => (
                <tr key={order.id}>
                  <td>
                    <StatusChip status={order.status} />
                  </td>
                  <td data-label="Energy">
                    <Energy value={order.resource_amount} />
                  </td>
                  <td>
                    <Address value={order.receiver_address} />
                  </td>
                  <td>
                    <Address value={order.account_id} />
                  </td>
                  <td data-label="TRX">
                    <Trx value={order.total_price_trx} />
                  </td>
                  <td>
                    <When at={order.created_at} />
                  </td>
                  <td className="deed">
                    <button type="button" className="plain" onClick={() => setId(order.id)}>
                      Details
                    </button>
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
      <Details title="The story of an order" id={id} close={() => setId('')}>
        <Story id={id} />
      </Details>
    </Page>
  )
}

function Story({ id }: { id: string }) {
  const order = useQuery(orderQuery(id))
  return (
    <Shown query={order}>
      {(data) => (
        <Stack>
          <Address value={id} whole />
          <Timeline order={data.order} />
          {data.steps.map((step) => (
            <div key={`${step.provider} ${step.at} ${step.txid}`}>
              <Text size="sm" fw={500}>
                {step.provider}: {step.attempt_state ?? step.part_state}
              </Text>
              <Text size="sm" c="dimmed">
                <Energy value={Number(step.energy)} /> Energy for <Trx value={step.cost_trx} unit />
                {step.reason && `; ${step.reason}`}
              </Text>
              {step.txid && <Address value={step.txid} />}
            </div>
          ))}
          <Text size="sm" fw={500}>
            Why these providers
          </Text>
          <Evidence value={data.choice} />
        </Stack>
      )}
    </Shown>
  )
}
