import { parseAddress } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'

export type PayerAnswer =
  | 'able'
  | 'not_an_address'
  | 'is_paid'
  | 'contract'
  | 'not_activated'
  | 'unknown'

/** Whether the address of a customer can receive Energy, and if not, why. */
export function createPayerCheck({ addresses, chain }: { addresses: Addresses; chain: Chain }) {
  return async (offer: { address: string }, text: string): Promise<PayerAnswer> => {
    const hex = addressOf(text)
    if (!hex) return 'not_an_address'
    if (text === offer.address || (await addresses.isOurs(hex))) return 'is_paid'
    return chain.receivers.stateOf(hex)
  }
}

/** Customers write addresses as wallets show them. */
export function addressOf(text: string): string | undefined {
  return text.startsWith('T') ? parseAddress(text) : undefined
}
