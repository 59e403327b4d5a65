import { getAccount, type HandledRoute, handle, Lasting, type Reply } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Db } from '../db/index.ts'
import type { Authenticator } from '../identity/index.ts'
import { formatTrx } from '../kernel/index.ts'
import type { Balance, Ledger } from '../ledger/index.ts'

type Deps = { db: Db; ledger: Ledger; authenticator: Authenticator; addresses: Addresses }

type Parts = { balance: Balance; wallet: string; deposit: string }
/** When something was so. */
type Moment = {
  /** While both numbers are the same, neither a balance nor a wallet has changed. */
  still: number | undefined
  revision: bigint | undefined
}
/** What was said of an account, what it was made of, and when it was last so. */
type Said = Parts & Moment & { answer: Lasting }

const SAID_MAX = 50_000

export function accountRoutes({ db, ledger, authenticator, addresses }: Deps): HandledRoute[] {
  const said = new Map<string, Said>()

  // Taken before anything is read: whatever moves from here on makes another number.
  const momentOf = (): Moment => ({ still: db.still(), revision: authenticator.revision() })

  function isSo({ still, revision }: Moment): boolean {
    if (still === undefined || revision === undefined) return false
    return still === db.still() && revision === authenticator.revision()
  }

  function say(account: string, parts: Parts, moment: Moment): Lasting {
    const last = said.get(account)
    // A balance is the same object until it moves.
    if (last?.balance === parts.balance && last.wallet === parts.wallet) {
      Object.assign(last, moment)
      return last.answer
    }
    const answer = new Lasting(textOf(parts), () => isSo(fresh))
    const fresh: Said = { ...parts, ...moment, answer }
    if (said.size >= SAID_MAX) said.clear()
    said.set(account, fresh)
    return answer
  }

  return [
    handle(getAccount, ({ account }) => {
      const last = said.get(account)
      if (last?.answer.holds()) return last.answer
      const moment = momentOf()
      const balance = ledger.balanceOf(account)
      const wallet = authenticator.walletOf(account)
      const deposit = last?.deposit || addresses.depositAddressOf(account)
      // All but the balance is in memory most of the time, and needs no promise.
      if (typeof wallet === 'string' && typeof deposit === 'string') {
        return balance.then((now) => say(account, { balance: now, wallet, deposit }, moment))
      }
      return Promise.all([balance, wallet, deposit]).then(([now, theirs, ours]) =>
        say(account, { balance: now, wallet: theirs, deposit: ours }, moment),
      )
    }),
  ]
}

function textOf({ balance, wallet, deposit }: Parts): string {
  const reply: Reply<typeof getAccount> = {
    balance_trx: formatTrx(balance.balance),
    reserved_trx: formatTrx(balance.reserved),
    deposit_address: deposit,
    wallet_address: wallet,
  }
  return JSON.stringify(reply)
}
