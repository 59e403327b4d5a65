import type { getOrder, getPublicProof, Reply } from '@ergon/contract'
import type { ReactNode } from 'react'
import { Address } from './Address.tsx'
import { IconCheck, IconCross } from './icons.tsx'
import { grouped } from './money.ts'
import { Trx } from './Trx.tsx'
import { Until, When } from './When.tsx'

export type Order = Reply<typeof getOrder>
/** What was given back for Energy that its seller took back before the hour was over. */
export type Credit = Reply<typeof getPublicProof>['credits'][number]
type Step = {
  name: string
  state: 'done' | 'now' | 'next' | 'bad'
  /** Goes on with the name. */
  more?: ReactNode
  note?: ReactNode
  at?: string
}

const HOUR_MS = 3_600_000

/** Whether the price was paid and came back; a checkout that nobody paid has nothing to give back. */
export const isRefunded = ({ status, source, error_message }: Order) =>
  status === 'FAILED' && !(source === 'checkout' && /not paid/.test(error_message ?? ''))

/** Without the sentence about the money, which speaks to the client; the steps show what came back. */
const reasonOf = (message: string | null) => message?.replace(/ You were not charged: .*$/, '')

function stepsOf(order: Order, credits: readonly Credit[]): Step[] {
  const { status, completed_at, created_at, updated_at, delegation_txids: txids } = order
  const unpaid = status === 'AWAITING_PAYMENT'
  const price = <Trx value={order.total_price_trx} unit />
  if (status === 'FAILED') {
    const note = reasonOf(order.error_message)
    if (!isRefunded(order))
      return [{ name: 'Not paid in time', state: 'bad', at: updated_at, note }]
    return [
      { name: 'Ordered', state: 'done', at: created_at },
      { name: 'Failed', state: 'bad', at: updated_at, note },
      { name: 'Refunded in full', state: 'done', at: updated_at, note: price },
    ]
  }
  // The amount to send is a little more than the price: its last digits name the order. When it was sent
  // is not told by the order.
  const paid: Step = unpaid
    ? { name: 'Awaiting payment', state: 'now' }
    : {
        name: 'Paid',
        state: 'done',
        note: price,
        ...(order.source !== 'checkout' && { at: created_at }),
      }
  const done = status === 'COMPLETED'
  const ends = completed_at && new Date(Date.parse(completed_at) + HOUR_MS).toISOString()
  return [
    paid,
    { name: 'Processing', state: done ? 'done' : unpaid ? 'next' : 'now' },
    {
      name: 'Completed',
      state: done ? 'done' : 'next',
      ...(completed_at && { at: completed_at }),
      note: txids.map((txid) => <Address key={txid} value={txid} />),
    },
    ...credits.map(creditStep),
    ends
      ? { name: 'Usable', state: 'now', more: <Until at={ends} /> }
      : { name: 'Usable for an hour', state: 'next' },
  ]
}

function creditStep({ energy, reclaim_txid, reclaimed_at, credit_trx }: Credit): Step {
  return {
    name: `${grouped(energy)} Energy taken back early, credited`,
    state: 'bad',
    at: reclaimed_at,
    note: (
      <>
        <Trx value={credit_trx} unit /> <Address value={reclaim_txid} />
      </>
    ),
  }
}

type Props = { order: Order; credits?: readonly Credit[] | undefined }

/** The steps of an order. A refund is a step like any other. */
export function Timeline({ order, credits = [] }: Props) {
  return (
    <ol className="timeline" aria-label="What happened to this order">
      {stepsOf(order, credits).map(({ name, state, more, note, at }) => (
        <li
          key={`${name} ${at}`}
          className={state}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span className="dot" aria-hidden>
            {state === 'done' && <IconCheck size={12} stroke={3} />}
            {state === 'bad' && <IconCross size={12} stroke={3} />}
          </span>
          <span className="name">
            {name} {more}
          </span>
          {at && (
            <span className="soft">
              <When at={at} />
            </span>
          )}
          {note && <div className="note">{note}</div>}
        </li>
      ))}
    </ol>
  )
}
