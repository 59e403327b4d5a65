import { getAccount, type HandledRoute, handle } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Authenticator } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'

type Deps = { ledger: Ledger; authenticator: Authenticator; addresses: Addresses }

export function accountRoutes({ ledger, authenticator, addresses }: Deps): HandledRoute[] {
  return [
    handle(getAccount, async ({ account }) => {
      const [{ balance, reserved, withheld, spendable, block }, wallet, deposit] =
        await Promise.all([
          ledger.balanceOf(account),
          authenticator.walletOf(account),
          addresses.depositAddressOf(account),
        ])
      return {
        balance_trx: formatTrx(balance),
        reserved_trx: formatTrx(reserved),
        withheld_trx: formatTrx(withheld),
        spendable_trx: formatTrx(spendable),
        deposit_address: deposit,
        wallet_address: wallet,
        blocked: block ? { reason: block.reason, since: block.since.toISOString() } : null,
      }
    }),
  ]
}
