import { type Db, plainArray } from '../db/index.ts'
import { assert, confirmed, isUuid, type Sun, sun } from '../kernel/index.ts'
import { type BalanceRow, findMovedBalances } from './store.ts'

export type Balance = Readonly<{ balance: Sun; reserved: Sun; spendable: Sun }>

type Known = { row: BalanceRow; balance: Balance }

/** About 40 MB, with the answers that are made of them. */
const KNOWN_MAX = 50_000

/** Balances are kept, and every reader has the database confirm the one it gets. */
export function createReadBalance(db: Db): (account: string) => Promise<Balance> {
  const balances = confirmed(findMoved, { most: KNOWN_MAX })

  async function findMoved(accounts: string[], known: (Known | undefined)[]) {
    const rows = known.map((one) => one?.row)
    const columns = [
      accounts,
      rows.map((row) => row?.balance),
      rows.map((row) => row?.reserved),
      rows.map((row) => row?.withheld),
      rows.map((row) => row?.overdrawn),
    ]
    const moved = await db.query(findMovedBalances, columns.map(plainArray))
    return moved.map(
      ({ asked, ...row }) => [asked, row.id === null ? undefined : knownOf(row)] as const,
    )
  }

  return (account) => {
    assert(balances.known(account) || isUuid(account), `${account} is not an account`)
    return balances.read(account).then((found) => {
      assert(found, `account ${account} has no ledger account`)
      return found.balance
    })
  }
}

function knownOf(row: BalanceRow): Known {
  const { balance, reserved, withheld, overdrawn } = row
  const left = overdrawn ? 0n : balance - reserved - withheld
  const spendable = sun(left > 0n ? left : 0n)
  return { row, balance: { balance: sun(balance), reserved: sun(reserved), spendable } }
}
