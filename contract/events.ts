import { type Static, type TObject, Type } from 'typebox'
import { AddressField, Nullable, SunField, TimeField } from './fields.ts'

/**
 * What happens to an account, as it is told to webhooks and chats. `default`: whether a new webhook
 * or chat is told; null where nobody can choose.
 */
type EventEntry = { when: string; default: boolean | null; data: TObject }

/** Callers count in numbers or in bigints; on the wire both are integers. */
const count = (description: string) =>
  Type.Unsafe<number | bigint>({ type: 'integer', description })
const text = (description: string) => Type.String({ description })
const word = <const W extends string>(words: readonly W[], description: string) =>
  Type.Unsafe<W>({ type: 'string', enum: [...words], description })

const movement = {
  entry_id: text('Entry of GET /transactions.'),
  entry_type: text('deposit, purchase, refund and others; expect new ones.'),
  amount_sun: SunField('Signed: a debit is negative.'),
  balance_sun: SunField('Balance after the movement.'),
  reference_id: Nullable(text('What it is about: an order, or a deposit transaction.')),
}
const threshold_sun = SunField('The level that was crossed.')

const subscription = {
  subscription_id: text('Subscription.'),
  address: AddressField('Covered address.'),
}

const budget = {
  ...subscription,
  budget: word(['daily', 'monthly'], 'Which budget.'),
  budget_sun: SunField('The budget.'),
  spent_sun: SunField('Covered transfers of the UTC day or month, the last one included.'),
}

const payment = {
  config_id: text('Configuration.'),
  public_id: text('Id of its pay page.'),
  title: text('Title of the configuration, or empty.'),
  payer: AddressField('Who sent TRX.'),
  amount_sun: SunField('What the customer paid.'),
}

export const eventTypes = {
  'order.status_changed': event('An order becomes COMPLETED or FAILED, once.', true, {
    order_id: text('Order.'),
    status: word(['COMPLETED', 'FAILED'], 'What it became.'),
    resource_type: word(['ENERGY'], 'ENERGY.'),
    resource_amount: text('Energy, as a decimal string.'),
    receiver_address: AddressField('Address that receives the Energy.'),
    total_price_sun: SunField('Amount charged.'),
    error_message: Nullable(text('Set only when FAILED.')),
  }),
  'order.energy_reclaimed': event(
    'The seller took Energy of a completed order back before its hour was over.',
    true,
    {
      order_id: text('Order.'),
      receiver_address: AddressField('Address that lost the Energy.'),
      reclaim_txid: text('The transaction that took it back.'),
      reclaimed_at: TimeField('Time of its block.'),
      energy: text('Energy taken back, as a decimal string.'),
      missing_seconds: count('Until the hour would have been over.'),
      credit_sun: SunField('Given back: an entry reclaim_credit.'),
      total_price_sun: SunField('Price of the order.'),
    },
  ),
  'balance.credited': event('A deposit or another credit lands on the balance.', true, movement),
  'balance.changed': event('Every movement of the balance, debits included.', false, {
    ...movement,
    threshold_sun: Type.Optional(threshold_sun),
  }),
  'autoenergy.delegated': event('AutoEnergy covers one transfer.', true, {
    ...subscription,
    energy_class: word(['65k', '131k'], 'Size of the transfer.'),
    billed_sun: SunField('Amount billed.'),
    used_tx_id: text('The covered transfer.'),
    tx_used_total: count('Covered transfers so far.'),
    quota_max_tx: Nullable(count('Closes after this many; null is no cap.')),
  }),
  'autoenergy.closed': event('A subscription stops, for any reason.', true, {
    ...subscription,
    close_reason: text(
      'quota, expired, idle, insufficient_balance, manual, energy_used_by_others, account_blocked; expect new ones.',
    ),
    tx_used_total: count('Covered transfers.'),
  }),
  'autoenergy.activated': event('A subscription becomes active.', false, subscription),
  'autoenergy.budget_near': event('A subscription has used 80 % of a budget.', true, {
    ...budget,
    ends_at: TimeField('When the day or the month of the budget ends.'),
  }),
  'autoenergy.budget_reached': event('A budget of a subscription is used up.', true, {
    ...budget,
    paused_until: TimeField('When cover returns.'),
  }),
  'balance.low': event('The balance crosses below its threshold, once per crossing.', false, {
    ...movement,
    threshold_sun,
  }),
  'account.daily_summary': event('Once a day, for the UTC day that ended.', false, {
    date: Type.String({ format: 'date', description: 'The day.' }),
    completed_orders: count('Orders completed on that day.'),
    energy_received: text('Energy of those orders, as a decimal string.'),
    spent_sun: SunField('Debits less refunds.'),
    balance_sun: SunField('Balance at the end of the day.'),
  }),
  'agent.sale': event('A payment of a customer is turned into an order.', true, {
    ...payment,
    units: count('Units bought.'),
    energy: count('Energy sold.'),
    cost_sun: SunField('What we charged for it.'),
    order_id: text('Order behind the sale.'),
    tx_hash: text("The customer's transfer."),
  }),
  'agent.payment_skipped': event('A payment of a customer is skipped.', true, {
    ...payment,
    reason: text('below_base, insufficient_balance and others; expect new ones.'),
    paused: Type.Boolean({ description: 'It also paused the configurations.' }),
    tx_hash: text("The customer's transfer."),
  }),
  'agent.config_at_risk': event(
    'The base payment of a configuration no longer covers the highest hour.',
    false,
    {
      config_id: text('Configuration.'),
      public_id: text('Id of its pay page.'),
      title: text('Title of the configuration, or empty.'),
      energy_per_unit: count('Energy of one unit.'),
      base_payment_sun: SunField('Payment for one unit.'),
      cost_max_sun: SunField('What one unit costs in the highest hour.'),
    },
  ),
  'notification.test': event('POST /webhooks/{id}/test.', null, { message: text('In words.') }),
  'webhook.disabled': event('A webhook was disabled; told to chats, never to webhooks.', null, {
    webhook_id: text('Webhook.'),
    name: text('Its name.'),
    reason: text('Why.'),
  }),
} as const satisfies Record<string, EventEntry>

export type EventType = keyof typeof eventTypes
export type EventData<T extends EventType> = Static<(typeof eventTypes)[T]['data']>

type ChosenType = {
  [T in EventType]: (typeof eventTypes)[T]['default'] extends null ? never : T
}[EventType]

/** The types that a webhook can choose, with their defaults. */
export const chosenByDefault = Object.fromEntries(
  Object.entries(eventTypes).flatMap(([type, entry]) =>
    entry.default === null ? [] : [[type, entry.default]],
  ),
) as Record<EventType, boolean>

/** A chat can choose one more: whether it is told that a webhook was disabled. */
export const chatDefaults: Partial<Record<EventType, boolean>> = {
  ...chosenByDefault,
  'webhook.disabled': true,
}

/** The switches of a webhook or a chat: event type to boolean. An unknown type is a fault. */
export const EventSwitches = <T extends EventType = ChosenType>(
  description: string,
  choice: Partial<Record<EventType, boolean>> = chosenByDefault,
) =>
  Type.Unsafe<Partial<Record<T, boolean>>>(
    Type.Object(
      Object.fromEntries(
        Object.entries(choice).map(([type, on]) => [
          type,
          Type.Optional(
            Type.Boolean({ description: `${eventTypes[type as EventType].when} Default ${on}.` }),
          ),
        ]),
      ),
      { additionalProperties: false, description },
    ),
  )

/** What every event looks like on the wire; `data` is the payload of its type. */
export const EventEnvelope = Type.Object({
  id: text('Unique; the same event may arrive twice, so keep the ids you have handled.'),
  type: text('Event type.'),
  created_at: TimeField('When it happened.'),
  audience: text('Always customer.'),
  data: Type.Object({}, { additionalProperties: true }),
})

function event<P extends Parameters<typeof Type.Object>[0], D extends boolean | null>(
  when: string,
  fallback: D,
  properties: P,
) {
  return { when, default: fallback, data: Type.Object(properties) }
}
