import type { EventData, EventType } from '@ergon/contract'
import { parseJson } from '@ergon/tron'
import { formatTrx } from '../kernel/index.ts'

/** An event in plain words. Names and titles are quoted, on one line, and never markup. */
export function messageFor({ type, data }: { type: EventType; data: string }): string {
  const tell = sentences[type] as (data: unknown) => string
  return tell(parseJson(data))
}

const TEXT_MAX = 200

/** Foreign text on one line: without control and direction characters, and limited in length. */
export function plain(text: string, most = TEXT_MAX): string {
  const line = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const points = [...line]
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : line
}

const quoted = (text: string) => `“${plain(text)}”`
const trx = (sun: number | bigint) => `${formatTrx(BigInt(sun))} TRX`
/** “Corner shop”, or the id of its pay page where it has no title. */
const configuration = ({ title, public_id }: { title: string; public_id: string }) =>
  title ? quoted(title) : public_id

const sentences: { [T in EventType]: (data: EventData<T>) => string } = {
  'order.status_changed': (order) =>
    order.status === 'COMPLETED'
      ? `Order completed: ${order.resource_amount} Energy on ${order.receiver_address} for ${trx(order.total_price_sun)}.\n${order.order_id}`
      : `Order failed: ${order.resource_amount} Energy for ${order.receiver_address}. ${plain(order.error_message ?? '')}\n${order.order_id}`,
  'order.energy_reclaimed': (credit) =>
    `${credit.energy} Energy of order ${credit.order_id} were taken back ${credit.missing_seconds} seconds early. ${trx(credit.credit_sun)} were credited.\n${credit.reclaim_txid}`,
  'balance.credited': ({ amount_sun, entry_type, balance_sun }) =>
    `Credited: ${trx(amount_sun)} (${plain(entry_type)}). Balance ${trx(balance_sun)}.`,
  'balance.changed': ({ amount_sun, entry_type, balance_sun }) =>
    `Balance changed by ${trx(amount_sun)} (${plain(entry_type)}), now ${trx(balance_sun)}.`,
  'balance.low': ({ balance_sun, threshold_sun }) =>
    `Low balance: ${trx(balance_sun)}, below ${trx(threshold_sun)}.`,
  'autoenergy.delegated': (use) =>
    `AutoEnergy covered a ${use.energy_class} transfer of ${use.address} for ${trx(use.billed_sun)}.\n${use.used_tx_id}`,
  'autoenergy.closed': ({ address, close_reason, tx_used_total }) =>
    `AutoEnergy of ${address} was closed (${plain(close_reason)}) after ${tx_used_total} transfers.`,
  'autoenergy.activated': ({ address }) => `AutoEnergy of ${address} is active.`,
  'autoenergy.budget_near': (use) =>
    `AutoEnergy of ${use.address} has used ${trx(use.spent_sun)} of its ${use.budget} budget of ${trx(use.budget_sun)}.`,
  'autoenergy.budget_reached': (use) =>
    `AutoEnergy of ${use.address} has used up its ${use.budget} budget of ${trx(use.budget_sun)}. Cover returns at ${use.paused_until}.`,
  'account.daily_summary': (day) =>
    `${day.date}: ${day.completed_orders} orders completed, ${day.energy_received} Energy, ${trx(day.spent_sun)} spent. Balance ${trx(day.balance_sun)}.`,
  'agent.sale': (sale) =>
    `Sale at ${configuration(sale)}: ${sale.energy} Energy to ${sale.payer}, who paid ${trx(sale.amount_sun)}; it cost ${trx(sale.cost_sun)}.\n${sale.tx_hash}`,
  'agent.payment_skipped': (payment) =>
    `Payment skipped at ${configuration(payment)} (${plain(payment.reason)}): ${trx(payment.amount_sun)} from ${payment.payer}.${payment.paused ? ' Your configurations were paused.' : ''}\n${payment.tx_hash}`,
  'agent.config_at_risk': (config) =>
    `${configuration(config)} sells ${config.energy_per_unit} Energy for ${trx(config.base_payment_sun)}, which costs ${trx(config.cost_max_sun)} in the dearest hour.`,
  'webhook.disabled': ({ name, reason }) =>
    `Webhook ${quoted(name)} was disabled. ${plain(reason)}`,
  'notification.test': ({ message }) => plain(message),
}

export const replies = {
  linked: 'This chat now receives the news of your account at Ergon. Send /stop to end it.',
  unknownCode:
    'This code is not valid. Make a new one in the workspace and say /start and the code.',
  full: 'The account has as many chats as it can have. Unlink one in the workspace first.',
  stopped: 'This chat receives nothing more.',
  test: 'This is a test. This chat works.',
}
