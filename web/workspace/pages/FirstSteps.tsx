import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { DELIVERY } from '../../shared/delivery.ts'
import { IconDone, IconRing } from '../../shared/icons.tsx'
import { ButtonLink, Panel } from '../../shared/Page.tsx'
import { depositsQuery, keysQuery, lastOrdersQuery, webhooksQuery } from '../queries.ts'

/**
 * The way to a program that buys, ticked from what is there. At the top until something was bought, then at
 * the end; gone once all is done, or when it is hidden.
 */
export function FirstSteps({ place }: { place: 'top' | 'end' }) {
  const [isHidden, setHidden] = useLocalStorage({
    key: 'ergon-first-steps-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  return isHidden ? null : <Steps place={place} hide={() => setHidden(true)} />
}

function Steps({ place, hide }: { place: 'top' | 'end'; hide(): void }) {
  const { data: deposits } = useQuery(depositsQuery)
  const { data: keys } = useQuery(keysQuery)
  const { data: orders } = useQuery(lastOrdersQuery)
  const { data: webhooks } = useQuery(webhooksQuery)
  if (!deposits || !keys || !orders || !webhooks) return null
  const steps = [
    {
      is: deposits.deposits.length > 0,
      name: 'Top up',
      text: 'Send TRX to your own deposit address. It can be spent seconds later.',
      to: '/deposits',
    },
    {
      is: orders.total > 0,
      name: 'Buy Energy',
      text: `For a wallet that sends USDT. ${DELIVERY}`,
      to: '/buy',
    },
    {
      is: keys.keys.length > 0,
      name: 'Create an API key',
      text: 'Your program buys and reads with it, without anybody at this page.',
      to: '/keys',
    },
    {
      is: webhooks.webhooks.length > 0,
      name: 'Add a webhook',
      text: 'Your server learns of orders and deposits when they change.',
      to: '/webhooks',
    },
  ] as const
  const next = steps.findIndex(({ is }) => !is)
  if (next < 0 || (orders.total === 0) !== (place === 'top')) return null
  return (
    <Panel
      title="First steps"
      action={
        <button type="button" className="button quiet" onClick={hide}>
          Hide
        </button>
      }
    >
      <ol className="checklist">
        {steps.map(({ is, name, text, to }, at) => (
          <li key={name} className={is ? 'done' : ''}>
            {is ? <IconDone size={22} /> : <IconRing size={22} />}
            <div>
              <b>{name}</b>
              <span className="hidden">{is ? ' (done)' : ' (open)'}</span>
              <div className="soft">{text}</div>
            </div>
            {!is && (
              <ButtonLink to={to} look={at === next ? 'small main' : 'small'}>
                {name}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
