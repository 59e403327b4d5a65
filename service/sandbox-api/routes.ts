import {
  getSandboxClock,
  type HandledRoute,
  handle,
  isRefusal,
  postSandboxAccount,
  postSandboxClock,
  postSandboxRemoveUser,
  refuse,
} from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Agent } from '../agent/index.ts'
import type { AutoEnergy } from '../autoenergy/index.ts'
import type { Accounts } from '../identity/index.ts'
import { type Clock, isUuid, parseTrx } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Providers } from '../providers/index.ts'
import { chainRoutes } from './chainRoutes.ts'
import { chatRoutes } from './chatRoutes.ts'
import { type DevnetControl, orRefusal } from './devnet.ts'
import { settingsRoutes } from './settingsRoutes.ts'
import { sinkRoutes } from './sinkRoutes.ts'

export type SandboxDeps = {
  accounts: Accounts
  addresses: Addresses
  agent: Agent
  autoenergy: AutoEnergy
  orders: Orders
  pricing: Pricing
  providers: Providers
  clock: Clock
  devnet: DevnetControl
  /** Moves business time and the chain; resolves when the scanner has read the new blocks. */
  advance(seconds: number): Promise<void>
}

export function sandboxApiRoutes(deps: SandboxDeps): HandledRoute[] {
  return [
    ...accountRoutes(deps),
    ...clockRoutes(deps),
    ...chainRoutes(deps),
    ...settingsRoutes(deps),
    ...sinkRoutes(deps),
    ...chatRoutes(deps),
  ]
}

function accountRoutes({ accounts, addresses, pricing, devnet }: SandboxDeps): HandledRoute[] {
  return [
    handle(postSandboxAccount, async (_caller, { body }) => {
      const deposit = parseTrx(body.deposit_trx ?? '0')
      if (deposit === undefined || deposit < 0n) {
        const message = 'deposit_trx must be a decimal with at most 6 places, such as "100".'
        return refuse('validation_error', { message })
      }
      const { account, apiKey } = await accounts.create(body.name ?? 'sandbox')
      const discount = BigInt(body.vip_discount_bps ?? 0)
      if (discount > 0n) await pricing.setDiscount(account, discount)
      const address = await addresses.depositAddressOf(account)
      if (deposit > 0n) {
        const { funded_keys } = await devnet.keys()
        // The last funded key pays, so that the balances of the first ones stay round.
        const payer = funded_keys.at(-1)!.address
        const sent = await orRefusal(() => devnet.transfer(payer, address, deposit))
        if (isRefusal(sent)) return sent
      }
      return { account_id: account, api_key: apiKey, deposit_address: address }
    }),
    handle(postSandboxRemoveUser, async (_caller, { params }) => ({
      removed: isUuid(params.id) && (await accounts.removeUser(params.id)),
    })),
  ]
}

function clockRoutes({ clock, advance }: SandboxDeps): HandledRoute[] {
  const now = () => ({ now: clock.now().toISOString() })
  return [
    handle(getSandboxClock, now),
    handle(postSandboxClock, async (_caller, { body }) => {
      await advance(body.advance_seconds)
      return now()
    }),
  ]
}
