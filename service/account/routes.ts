import { getAccount, type HandledRoute, handle, type Reply, Verbatim } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Db } from '../db/index.ts'
import type { Authenticator } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Balance, Ledger } from '../ledger/index.ts'

type Deps = { db: Db; ledger: Ledger; authenticator: Authenticator; addresses: Addresses }

/** What was said of an account, what it was made of, and when it was last so. */
type Said = {
  balance: Balance
  wallet: string
  deposit: string
  answer: Verbatim
  /** While both numbers are the same, neither a balance nor a wallet has changed. */
  still: number | undefined
  revision: bigint | undefined
}

const SAID_MAX = 50_000

export function accountRoutes({ db, ledger, authenticator, addresses }: Deps): HandledRoute[] {
  const said = new Map<string, Said>()

  function say(account: string, now: Omit<Said, 'answer'>): Verbatim {
    const last = said.get(account)
    // A balance is the same object until it moves.
    if (last?.balance === now.balance && last.wallet === now.wallet) {
      last.still = now.still
      last.revision = now.revision
      return last.answer
    }
    const answer = answerOf(now)
    if (said.size >= SAID_MAX) said.clear()
    said.set(account, { ...now, answer })
    return answer
  }

  return [
    handle(getAccount, ({ account }) => {
      // Taken before anything is read: whatever moves from here on makes another number.
      const still = db.still()
      const revision = authenticator.revision()
      const last = said.get(account)
      const isSo = last?.still === still && last?.revision === revision
      if (isSo && still !== undefined && revision !== undefined) return last!.answer
      const balance = ledger.balanceOf(account)
      const wallet = authenticator.walletOf(account)
      const deposit = last?.deposit || addresses.depositAddressOf(account)
      // All but the balance is in memory most of the time, and needs no promise.
      if (typeof wallet === 'string' && typeof deposit === 'string') {
        return balance.then((now) =>
          say(account, { balance: now, wallet, deposit, still, revision }),
        )
      }
      return Promise.all([balance, wallet, deposit]).then(([now, theirs, ours]) =>
        say(account, { balance: now, wallet: theirs, deposit: ours, still, revision }),
      )
    }),
  ]
}

function answerOf({ balance, wallet, deposit }: Omit<Said, 'answer'>): Verbatim {
  const reply: Reply<typeof getAccount> = {
    balance_trx: formatTrx(balance.balance),
    reserved_trx: formatTrx(balance.reserved),
    deposit_address: deposit,
    wallet_address: wallet,
  }
  return new Verbatim(JSON.stringify(reply))
}
