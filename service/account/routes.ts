import { getAccount, type HandledRoute, handle } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Authenticator, Clients } from '../identity/index.ts'
import { formatTrx, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'

type Deps = {
  ledger: Ledger
  authenticator: Authenticator
  addresses: Addresses
  clients: Clients
}

export function accountRoutes({ ledger, authenticator, addresses, clients }: Deps): HandledRoute[] {
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
        limits: limitsReply(clients.limitsOf(account)),
        blocked: block ? { reason: block.reason, since: block.since.toISOString() } : null,
      }
    }),
  ]
}

/** Null: as for everybody. */
export function limitsReply({
  requestsPerMinute,
  unverifiedCredit,
  orderMax,
}: ReturnType<Clients['limitsOf']>) {
  return {
    requests_per_minute: requestsPerMinute === undefined ? null : Number(requestsPerMinute),
    unverified_credit_trx: unverifiedCredit === undefined ? null : formatTrx(sun(unverifiedCredit)),
    max_amount: orderMax === undefined ? null : Number(orderMax),
  }
}
