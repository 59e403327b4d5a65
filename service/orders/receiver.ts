import { type Refusal, refuse } from '@ergon/contract'
import { parseAddress } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'

/** Why Energy cannot go to the address a client wrote; undefined when it can. */
export type ReceiverRefusal = (text: string) => Promise<Refusal | undefined> | undefined

const KNOWN_MAX = 50_000

/**
 * Caches receivers that passed the check. They stay valid: activation is permanent, and an address of
 * ours is unknown to clients before it is allotted.
 */
export function createReceiverRefusal(deps: {
  addresses: Addresses
  chain: Chain
}): ReceiverRefusal {
  const fine = new Set<string>()

  async function check(text: string): Promise<Refusal | undefined> {
    const address = text.startsWith('T') ? parseAddress(text) : undefined
    if (!address) {
      return because('The receiver is not a TRON address: 34 characters that start with T.')
    }
    if (await deps.addresses.isOurs(address)) {
      return because(
        'The receiver belongs to this service. Use the address that sends the transfer.',
      )
    }
    switch (await deps.chain.receivers.stateOf(address)) {
      case 'not_activated':
        return because('The receiver is not activated on TRON. Send it a little TRX first.')
      case 'contract':
        return because('The receiver is a contract. Energy goes to the address that calls it.')
      case 'able':
        if (!deps.chain.receivers.isSolid(address)) return undefined
        if (fine.size >= KNOWN_MAX) fine.clear()
        fine.add(text)
        return undefined
      // The node was too slow or in trouble; the next purchase asks again.
      case 'unknown':
        return undefined
    }
  }

  return (text) => (fine.has(text) ? undefined : check(text))
}

function because(message: string): Refusal {
  return refuse('validation_error', { message })
}
