import { getAccount, type HandledRoute, handle } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Authenticator } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'

type Deps = { ledger: Ledger; authenticator: Authenticator; addresses: Addresses }

export function accountRoutes({ ledger, authenticator, addresses }: Deps): HandledRoute[] {
  return [
    handle(getAccount, async ({ account }) => {
      // One after the other: all but the balance is in memory, and a promise for each would be made.
      const wallet = await authenticator.walletOf(account)
      const depositAddress = await addresses.depositAddressOf(account)
      const { balance, reserved } = await ledger.balanceOf(account)
      return {
        balance_trx: formatTrx(balance),
        reserved_trx: formatTrx(reserved),
        deposit_address: depositAddress,
        wallet_address: wallet,
      }
    }),
  ]
}
