import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Address } from '../../shared/Address.tsx'
import { OrderPrice } from '../../shared/OrderPrice.tsx'
import { Page, Panel } from '../../shared/Page.tsx'
import { StatusChip, stateWords } from '../../shared/StatusChip.tsx'
import { sourceWords } from '../../shared/sources.ts'
import { Timeline } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { orderQuery, ordersQuery } from '../calls.ts'
import { Details } from '../Details.tsx'
import { Rows, Shown } from '../Shown.tsx'
import { useOpen } from '../useOpen.ts'
import { Choice, type Chosen } from './Choice.tsx'

const FILTERS = [
  { value: '', label: 'All' },
  { value: 'PROCESSING', label: 'Processing' },
  { value: 'AWAITING_PAYMENT', label: 'Awaiting payment' },
  { value: 'FAILED', label: 'Failed' },
]
const ACCOUNTS: string = '/accounts'

export function Orders() {
  const { id = '', status = '', go } = useOpen('/orders')
  const filter = status ? { status } : {}
  const orders = useQuery(ordersQuery(status))
  return (
    <Page
      title="Orders"
      action={
        <SegmentedControl
          data={FILTERS}
          value={status}
          onChange={(next) => go(next ? { status: next } : {})}
          aria-label="Which orders"
        />
      }
    >
      <Panel>
        <Shown query={orders}>
          {(data) => (
            <Rows
              label="Orders"
              head={['Status', 'Account', 'Receiver', 'Energy', 'Price, TRX', 'Created', 'Story']}
              right={['Energy', 'Price, TRX']}
            >
              {data.orders.map((order) => (
                <tr key={order.id} className="open" onClick={() => go({ ...filter, id: order.id })}>
                  <td>
                    <StatusChip status={order.status} />
                  </td>
                  <td>{order.account_name || <Address value={order.account_id} />}</td>
                  <td>
                    <Address value={order.receiver_address} />
                  </td>
                  <td className="right" data-label="Energy">
                    <Energy value={order.resource_amount} />
                  </td>
                  <td className="right" data-label="TRX">
                    <OrderPrice order={order} />
                  </td>
                  <td>
                    <When at={order.created_at} />
                  </td>
                  <td className="deed">
                    <button
                      type="button"
                      className="plain"
                      onClick={(event) => {
                        event.stopPropagation()
                        go({ ...filter, id: order.id })
                      }}
                    >
                      Details
                    </button>
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
      <Details title="The story of an order" id={id} close={() => go(filter)}>
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
          <Text size="sm" component="div">
            <StatusChip status={data.order.status} /> bought by{' '}
            <Link to={ACCOUNTS} search={{ id: data.order.account_id } as never}>
              {data.order.account_name || 'an unnamed account'}
            </Link>
            , source: {sourceWords(data.order.source)}
          </Text>
          <Address value={id} whole />
          <Timeline order={data.order} credits={data.credits} />
          {data.steps.map((step) => (
            <div key={`${step.provider} ${step.at} ${step.txid}`}>
              <Text size="sm" fw={500}>
                {step.provider}: {stateWords(step.attempt_state ?? step.part_state)}
              </Text>
              <Text size="sm" c="dimmed">
                <Energy value={Number(step.energy)} /> Energy for <Trx value={step.cost_trx} unit />
                {step.reason && `; ${step.reason}`}
              </Text>
              {step.txid && <Address value={step.txid} />}
            </div>
          ))}
          <Text size="sm" fw={500}>
            Everything, in order of time
          </Text>
          <ol className="timeline plain" aria-label="Everything, in order of time">
            {data.history.map((one) => (
              <li key={`${one.at} ${one.kind} ${one.what}`}>
                <Text size="xs" c="dimmed" component="div">
                  <When at={one.at} /> {one.kind}
                </Text>
                <Text size="sm" component="div" className="wrap">
                  {one.what} {one.reference !== id && <Reference value={one.reference} />}
                </Text>
              </li>
            ))}
          </ol>
          {data.order.status === 'COMPLETED' && (
            <Text size="sm" component="div">
              For the client: <a href={data.proof_path}>the proof of the delivery</a>
            </Text>
          )}
          <Choice choice={data.choice as Chosen[]} />
        </Stack>
      )}
    </Shown>
  )
}

function Reference({ value }: { value: string | null }) {
  return value === null ? null : <Address value={value} />
}
