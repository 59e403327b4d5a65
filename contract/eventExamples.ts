import type { EventType } from './events.ts'

const ADDRESS = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const TXID = '7c2d4206c03a883dd9066d920839a6d1e3c5f0b4a8b7e6d5c4f3a2b1908f7e6d'
const ORDER = '0198f3f2-5b0c-7a41-8c2d-1e9f7a6b5c4d'
const CONFIG = '0198f3f1-2f7e-7b63-9d10-3c5a7e9b1d2f'
const SUBSCRIPTION = '0198f3f0-8d4c-7e25-8b6a-0f1e2d3c4b5a'

const movement = {
  entry_id: '0198f3f2-5b0d-7c11-a4e2-6d8f0b2c4e6a',
  entry_type: 'purchase',
  amount_sun: -1_950_000,
  balance_sun: 98_050_000,
  reference_id: ORDER,
}
const subscription = { subscription_id: SUBSCRIPTION, address: ADDRESS }
const budget = { ...subscription, budget: 'daily', budget_sun: 11_000_000 }
const MIDNIGHT = '2026-11-15T00:00:00.000Z'
const config = { config_id: CONFIG, public_id: '4Zr8HkWv2QnYb6TxLm3JdC', title: 'Energy for USDT' }
const payment = { ...config, payer: ADDRESS, amount_sun: 3_000_000, tx_hash: TXID }

/** One payload of each event, as JSON: the published description shows them. */
export const eventExamples: Record<EventType, Record<string, unknown>> = {
  'order.status_changed': {
    order_id: ORDER,
    status: 'COMPLETED',
    resource_type: 'ENERGY',
    resource_amount: '65000',
    receiver_address: ADDRESS,
    total_price_sun: 1_950_000,
    error_message: null,
  },
  'order.energy_reclaimed': {
    order_id: ORDER,
    receiver_address: ADDRESS,
    reclaim_txid: TXID,
    reclaimed_at: '2026-11-14T12:54:36.000Z',
    energy: '65000',
    missing_seconds: 2_400,
    credit_sun: 1_300_000,
    total_price_sun: 1_950_000,
  },
  'balance.credited': {
    ...movement,
    entry_type: 'deposit',
    amount_sun: 100_000_000,
    balance_sun: 100_000_000,
    reference_id: TXID,
  },
  'balance.changed': movement,
  'autoenergy.delegated': {
    ...subscription,
    energy_class: '65k',
    billed_sun: 2_200_000,
    used_tx_id: TXID,
    tx_used_total: 7,
    quota_max_tx: null,
  },
  'autoenergy.closed': { ...subscription, close_reason: 'idle', tx_used_total: 7 },
  'autoenergy.activated': subscription,
  'autoenergy.budget_near': { ...budget, spent_sun: 8_800_000, ends_at: MIDNIGHT },
  'autoenergy.budget_reached': { ...budget, spent_sun: 11_000_000, paused_until: MIDNIGHT },
  'balance.low': { ...movement, balance_sun: 9_050_000, threshold_sun: 10_000_000 },
  'account.daily_summary': {
    date: '2026-11-14',
    completed_orders: 3,
    energy_received: '195000',
    spent_sun: 5_850_000,
    balance_sun: 92_200_000,
  },
  'agent.sale': { ...payment, units: 1, energy: 65_000, cost_sun: 1_950_000, order_id: ORDER },
  'agent.payment_skipped': { ...payment, reason: 'below_base', paused: false },
  'agent.config_at_risk': {
    ...config,
    energy_per_unit: 65_000,
    base_payment_sun: 2_000_000,
    cost_max_sun: 2_340_000,
  },
  'notification.test': { message: 'This is a test. Your webhook works.' },
  'webhook.disabled': { webhook_id: CONFIG, name: 'Shop', reason: 'It answered 410 Gone.' },
}
