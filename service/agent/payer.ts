import { parseAddress } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'

export type PayerCheck = { canReceive: boolean; message: string }

/** Whether the address that a customer wants to pay from can be given Energy, in the customer's words. */
export function createPayerCheck({ addresses, chain }: { addresses: Addresses; chain: Chain }) {
  return async (offer: { address: string }, text: string): Promise<PayerCheck> => {
    const no = (message: string) => ({ canReceive: false, message })
    const hex = text.startsWith('T') ? parseAddress(text) : undefined
    if (!hex) return no('This is not a TRON address: 34 characters that start with T.')
    if (text === offer.address || (await addresses.isOurs(hex))) {
      return no('This is the address that is paid. Use the wallet that needs the Energy.')
    }
    switch (await chain.receivers.stateOf(hex)) {
      case 'contract':
        return no('This is a contract. Energy can only go to a wallet.')
      case 'not_activated':
        return no('This address has never been used. Send it a little TRX first.')
      case 'unknown':
        return no('The network did not answer in time. Try again in a moment.')
      case 'able':
        return { canReceive: true, message: 'This address can receive Energy.' }
    }
  }
}
