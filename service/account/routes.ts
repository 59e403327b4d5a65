import { getAccount, type HandledRoute, handle } from '@ergon/contract'
import type { Accounts } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'

type Deps = {
  ledger: Ledger
  accounts: Accounts
  depositAddressOf(account: string): Promise<string>
}

export function accountRoutes({ ledger, accounts, depositAddressOf }: Deps): HandledRoute[] {
  return [
    handle(getAccount, async ({ account }) => {
      const [{ balance, reserved }, wallet, depositAddress] = await Promise.all([
        ledger.balanceOf(account),
        accounts.walletOf(account),
        depositAddressOf(account),
      ])
      return {
        balance_trx: formatTrx(balance),
        reserved_trx: formatTrx(reserved),
        deposit_address: depositAddress,
        wallet_address: wallet,
      }
    }),
  ]
}
