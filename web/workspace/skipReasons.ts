/** Why a payment was not sold, and what would have helped. */
const SKIPPED: Record<string, string> = {
  below_base: 'less than one unit was paid',
  insufficient_balance: 'your balance was too low; top up and resume',
  paused: 'the page was paused',
  price_above_base: 'the price was above your payment; raise it',
  payer_is_own_address: 'it came from an address of the service',
  payer_is_contract: 'it came from a contract',
  address_is_contract: 'the address that was paid is a contract; make a page with a wallet',
  account_blocked: 'your account was blocked',
  service_unavailable: 'Energy could not be sold for ten minutes',
}

export const skipWords = (reason: string) => SKIPPED[reason] ?? reason

const DELIVERABLE = ['insufficient_balance', 'paused', 'price_above_base', 'service_unavailable']

/** Whether a payment can be sold after all; the service also wants it final, and not older than 30 days. */
export const canBeDelivered = (payment: { skip_reason: string | null; orphaned: boolean }) =>
  DELIVERABLE.includes(payment.skip_reason ?? '') && !payment.orphaned
