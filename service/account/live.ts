import { createLoop, formatTrx, type Log, type Loop } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'

/** A message to a tab. It says what changed; the page reads the data from the API. */
export type Change =
  | { kind: 'balance'; balance_trx: string; spendable_trx: string }
  | { kind: 'order'; id: string; status: string }

export type Live = {
  /** Calls `send` for every change of the account until the returned function is called. */
  follow(account: string, send: (change: Change) => void): () => void
  loop: Loop
}

const LOOK_MS = 500

type Watched = {
  tabs: Set<(change: Change) => void>
  balance: string | undefined
  orders: Map<string, string> | undefined
}

/**
 * One query every half second for all tabs of this node, none without tabs. No change is lost: each
 * query is compared with what was sent before.
 */
export function createLive(deps: { ledger: Ledger; orders: Orders; log: Log }): Live {
  const { ledger, orders, log } = deps
  const watched = new Map<string, Watched>()

  async function look(): Promise<number> {
    const accounts = [...watched.keys()]
    loop.notice(accounts.length > 0)
    if (accounts.length === 0) return 0
    const [balances, states] = await Promise.all([
      Promise.all(accounts.map((account) => ledger.balanceOf(account))),
      orders.recentStates(accounts),
    ])
    const byAccount = Map.groupBy(states, ({ account }) => account)
    accounts.forEach((account, index) => {
      const watch = watched.get(account)
      if (!watch) return
      const { balance, spendable } = balances[index]!
      const message = { balance_trx: formatTrx(balance), spendable_trx: formatTrx(spendable) }
      tellBalance(watch, { kind: 'balance', ...message })
      tellOrders(watch, byAccount.get(account) ?? [])
    })
    return 0
  }

  const loop = createLoop({ name: 'account.live', everyMs: LOOK_MS, log, work: look })
  return {
    follow(account, send) {
      const watch = watched.get(account) ?? {
        tabs: new Set(),
        balance: undefined,
        orders: undefined,
      }
      watched.set(account, watch)
      watch.tabs.add(send)
      // Send the balance to the new tab with the next query, which is now.
      watch.balance = undefined
      loop.notice(true)
      loop.wake()
      return () => {
        watch.tabs.delete(send)
        if (watch.tabs.size === 0) watched.delete(account)
      }
    },
    loop,
  }
}

function tellBalance(watch: Watched, change: Extract<Change, { kind: 'balance' }>) {
  const now = `${change.balance_trx} ${change.spendable_trx}`
  if (now === watch.balance) return
  watch.balance = now
  for (const send of watch.tabs) send(change)
}

function tellOrders(watch: Watched, states: { id: string; status: string }[]) {
  const before = watch.orders
  watch.orders = new Map(states.map(({ id, status }) => [id, status]))
  if (!before) return
  for (const { id, status } of states) {
    if (before.get(id) === status) continue
    for (const send of watch.tabs) send({ kind: 'order', id, status })
  }
}
