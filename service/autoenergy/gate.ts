import { type Refusal, refuse } from '@ergon/contract'
import { type HexAddress, NodeTrouble, parseAddress } from '@ergon/tron'
import { type Addresses, isOwnershipProven } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import type { Standing } from '../delivery/index.ts'
import { within } from '../kernel/index.ts'
import { readSwitch } from './store.ts'
import type { Subscription } from './subscription.ts'

export type GateDeps = {
  db: Db
  addresses: Addresses
  chain: () => Chain
  standing: () => Standing
}

const LOOK_UP_MS_MAX = 3_000
const NOT_PROVEN =
  'ownership_signature was not made by the key of this address. Sign "<account_id>:<address>" with signMessageV2.'

/** Checks before an address can be covered. */
export function createGate({ db, addresses, chain, standing }: GateDeps) {
  return {
    /** Checks the switch, and whether our stake can supply one more address. */
    async refusalNow(): Promise<Refusal | undefined> {
      const [row] = await db.query(readSwitch)
      if (!row?.enabled) return unavailable('AutoEnergy is switched off. Try again later.')
      const room = standing().room()
      if (room === 'unreachable')
        return unreachable('The Energy pool cannot be reached. Try again.')
      if (room === 'full') {
        return unavailable('All standing Energy is in use. Try again later; nothing was charged.')
      }
      return undefined
    },

    /** The parsed address, or the refusal. */
    async addressFor(text: string): Promise<HexAddress | Refusal> {
      const address = text.startsWith('T') ? parseAddress(text) : undefined
      if (!address) {
        return invalid('address is not a TRON address: 34 characters that start with T.')
      }
      if (await addresses.isOurs(address)) return invalid('address belongs to this service.')
      return address
    },

    /** Whether the key of the address signed for the account; a wrong signature is refused. */
    proofOf(
      { account, address }: { account: string; address: string },
      signature: string | undefined,
    ): boolean | Refusal {
      if (signature === undefined) return false
      const wallet = parseAddress(address)
      const isProven = wallet && isOwnershipProven({ account, address, signature }, wallet)
      return isProven || refuse('autoenergy_ownership_not_proven', { message: NOT_PROVEN })
    },

    /**
     * Energy cannot be given to a contract, nor to an address that the chain has never seen. A fee is
     * charged on this answer, so it comes from a solid block: the head also shows what is only pending.
     */
    async refusalForReceiver(address: HexAddress): Promise<Refusal | undefined> {
      const { node } = chain()
      const look = async () =>
        (await node.getSolidAccount(address)) ??
        ((await node.getAccount(address)) ? ('young' as const) : undefined)
      const asked = look().catch(unlessFault)
      const account = await within(LOOK_UP_MS_MAX, asked, 'unknown' as const)
      if (account === 'unknown') return unreachable('The node cannot be reached. Try again.')
      if (!account) return invalid('address is not activated on TRON. Send it a little TRX first.')
      if (account === 'young') {
        return invalid('The activation of address is in no final block yet. Try again in a minute.')
      }
      if (account.isContract) return invalid('address is a contract, which cannot be given Energy.')
      return undefined
    },
  }
}

function unlessFault(error: unknown): 'unknown' {
  if (error instanceof NodeTrouble) return 'unknown'
  throw error
}

/** Why this account cannot cover an address; only the owner of the subscription learns its status. */
export function conflictOf(account: string, rows: readonly Subscription[]): Refusal | undefined {
  const [first] = rows
  if (!first) return undefined
  const own = rows.find((row) => row.account === account && row.deletedAt === null)
  const status = own ? { status: own.status } : {}
  const busy = rows.some((row) => row.live && row.status !== 'active')
  if (busy) return addressBusy(status)
  const message =
    own?.status === 'closed'
      ? 'You have a closed subscription for this address: reactivate it, or delete it first.'
      : 'A subscription covers this address already. GET /autoenergy/subscriptions lists yours.'
  return refuse('address_exists', { message, ...status })
}

export function addressBusy(extra: Record<string, string> = {}): Refusal {
  const message = 'The address is being processed. Try again in a moment.'
  return refuse('address_busy', { message, ...extra })
}

export function invalid(message: string): Refusal {
  return refuse('invalid_address', { message })
}

function unreachable(message: string): Refusal {
  return refuse('fulfiller_unavailable', { message })
}

function unavailable(message: string): Refusal {
  return refuse('autoenergy_temporarily_unavailable', { message })
}
