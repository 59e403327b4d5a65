import { getAccount, type HandledRoute, handle, type Reply, Verbatim } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Authenticator } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Balance, Ledger } from '../ledger/index.ts'

type Deps = { ledger: Ledger; authenticator: Authenticator; addresses: Addresses }

type Kept = { wallet: string; deposit: string; answer: Verbatim }

export function accountRoutes({ ledger, authenticator, addresses }: Deps): HandledRoute[] {
  // A balance is the same object until it moves, so what was said of it can be said again.
  const kept = new WeakMap<Balance, Kept>()

  function answerOf(balance: Balance, wallet: string, deposit: string): Verbatim {
    const last = kept.get(balance)
    if (last?.wallet === wallet && last.deposit === deposit) return last.answer
    const reply: Reply<typeof getAccount> = {
      balance_trx: formatTrx(balance.balance),
      reserved_trx: formatTrx(balance.reserved),
      deposit_address: deposit,
      wallet_address: wallet,
    }
    const answer = new Verbatim(JSON.stringify(reply))
    kept.set(balance, { wallet, deposit, answer })
    return answer
  }

  return [
    handle(getAccount, ({ account }) => {
      const wallet = authenticator.walletOf(account)
      const deposit = addresses.depositAddressOf(account)
      const balance = ledger.balanceOf(account)
      // All but the balance is in memory most of the time, and needs no promise.
      return typeof wallet === 'string' && typeof deposit === 'string'
        ? balance.then((now) => answerOf(now, wallet, deposit))
        : Promise.all([balance, wallet, deposit]).then((all) => answerOf(...all))
    }),
  ]
}
