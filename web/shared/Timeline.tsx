import type { getOrder, Reply } from '@ergon/contract'
import type { ReactNode } from 'react'
import { Address } from './Address.tsx'
import { IconCheck, IconCross } from './icons.tsx'
import { Trx } from './Trx.tsx'
import { When } from './When.tsx'

export type Order = Reply<typeof getOrder>
type Step = { name: string; state: 'done' | 'now' | 'next' | 'bad'; note?: ReactNode; at?: string }

const HOUR_MS = 3_600_000

function stepsOf(order: Order): Step[] {
  const { status, completed_at, created_at, updated_at, delegation_txids: txids } = order
  const unpaid = status === 'AWAITING_PAYMENT'
  const failed = status === 'FAILED'
  const wasPaid =
    !failed || order.source !== 'checkout' || !/not paid/.test(order.error_message ?? '')
  const paid: Step = unpaid
    ? { name: 'Waiting for your transfer', state: 'now' }
    : {
        name: wasPaid ? 'Paid' : 'Not paid in time',
        state: wasPaid ? 'done' : 'bad',
        at: created_at,
      }
  if (wasPaid) paid.note = <Trx value={order.total_price_trx} unit />
  if (failed) {
    const refunded = { name: 'Refunded to your balance', state: 'done' as const, at: updated_at }
    const note = order.error_message
    const end: Step = { name: 'Not delivered', state: 'bad', at: updated_at, note }
    return wasPaid ? [paid, end, refunded] : [{ ...paid, note }]
  }
  const done = status === 'COMPLETED'
  const ends = completed_at && new Date(Date.parse(completed_at) + HOUR_MS).toISOString()
  return [
    paid,
    { name: 'Delegating', state: done ? 'done' : unpaid ? 'next' : 'now' },
    {
      name: 'Delegated',
      state: done ? 'done' : 'next',
      ...(completed_at && { at: completed_at }),
      note: txids.map((txid) => <Address key={txid} value={txid} />),
    },
    {
      name: done ? 'Usable for an hour' : 'Usable',
      state: done ? 'now' : 'next',
      ...(ends && { at: ends }),
    },
  ]
}

/** The steps of an order. A refund is a step like any other. */
export function Timeline({ order }: { order: Order }) {
  return (
    <ol className="timeline" aria-label="What happened to this order">
      {stepsOf(order).map(({ name, state, note, at }) => (
        <li key={name} className={state} aria-current={state === 'now' ? 'step' : undefined}>
          <span className="dot" aria-hidden>
            {state === 'done' && <IconCheck size={12} stroke={3} />}
            {state === 'bad' && <IconCross size={12} stroke={3} />}
          </span>
          <span className="name">{name}</span>
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
