import type { Db, Queryable, Tx } from '../../db/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import {
  holdNumber,
  type InvoiceRow,
  insertInvoice,
  insertLines,
  lastInvoice,
  listInvoices,
  readLines,
  setNumber,
} from './invoices.sql.ts'
import type { Issuer } from './issuer.ts'
import { isCharge, type Line, linesOf, sorted, totalOf } from './lines.ts'
import { monthAt, nextMonth, startOf } from './months.ts'
import type { Client } from './particulars.sql.ts'
import { isSet, type Particulars } from './particulars.ts'

/** `due`: its month is over and nobody has issued it. `preview`: its month is not over. Neither has a number. */
export type State = 'issued' | 'due' | 'preview'

export type Item = {
  month: string
  state: State
  number: bigint | undefined
  issuedAt: Date | undefined
  total: bigint
}

export type Invoice = Item & {
  account: string
  opening: bigint
  closing: bigint
  lines: Line[]
  issuer: Issuer
  client: Client
}

export type Invoices = {
  /** Newest first, without the lines. Changes nothing. */
  list(account: string): Promise<Item[]>
  /** Undefined for a month without movements, and for one that is yet to come. */
  read(account: string, month: string): Promise<Invoice | undefined>
  /** Issues the months that are over, the oldest first; returns how many. */
  issue(account: string): Promise<number>
  /** The same of all accounts. */
  issueAll(): Promise<{ accounts: number; invoices: number }>
  /** Whether the operator has said who it is. */
  hasIssuer: boolean
  particulars: Particulars
}

type Open = { month: string; after: bigint; upto: bigint; isOver: boolean }

/** After the end of a month: movements that began before it have committed by then. The same as before months are closed. */
const GRACE_MS = 600_000
const ACCOUNTS = 500

export function createInvoices(deps: {
  db: Db
  clock: Clock
  ledger: Ledger
  issuer: Issuer
  particulars: Particulars
}): Invoices {
  const { db, clock, ledger, issuer, particulars } = deps
  const { periods } = ledger

  const isOver = (month: string) =>
    clock.now().getTime() >= startOf(nextMonth(month)).getTime() + GRACE_MS

  /** The months with movements that are in no invoice, oldest first. A movement that came late is in the first of them. */
  async function openMonths(of: Queryable, account: string): Promise<Open[]> {
    const [last] = await of.query(lastInvoice, [account])
    const running = monthAt(clock.now())
    let after = last?.upto ?? 0n
    let month = last ? nextMonth(last.month) : ''
    const open: Open[] = []
    while (month <= running) {
      const at = await periods.timeOf(of, account, after + 1n)
      if (!at) break
      month = later(month, monthAt(at))
      const period = { from: startOf(month), to: startOf(nextMonth(month)) }
      const { last: upto } = await periods.versions(of, account, period)
      if (upto > after) open.push({ month, after, upto, isOver: isOver(month) })
      after = upto > after ? upto : after
      month = nextMonth(month)
    }
    return open
  }

  async function figures(of: Queryable, account: string, { after, upto }: Open) {
    const { opening, closing, parts } = await periods.parts(of, account, after, upto)
    const lines = linesOf(parts)
    return { opening, closing, lines, total: totalOf(lines) }
  }

  async function write(tx: Tx, account: string, one: Open, number: bigint) {
    const { month, after, upto } = one
    const { opening, closing, lines, total } = await figures(tx, account, one)
    const first = `${month}-01`
    await tx.query(insertInvoice, [
      account,
      first,
      number,
      clock.now(),
      after,
      upto,
      opening,
      closing,
      total,
      JSON.stringify(issuer),
      JSON.stringify(await particulars.read(account, tx)),
    ])
    await tx.query(insertLines, [
      account,
      first,
      lines.map(({ name }) => name),
      lines.map(({ name }) => isCharge(name)),
      lines.map(({ ofMonth }) => `${ofMonth}-01`),
      lines.map(({ count }) => count),
      lines.map(({ amount }) => amount),
    ])
  }

  async function issue(account: string): Promise<number> {
    // Most often nothing is due, and then nobody waits for the number.
    if (!(await openMonths(db, account)).some((open) => open.isOver)) return 0
    return db.transaction(async (tx) => {
      const { last } = (await tx.query(holdNumber))[0]!
      // Read again: another process may have issued them while we waited.
      const due = (await openMonths(tx, account)).filter((open) => open.isOver)
      for (const [at, one] of due.entries()) await write(tx, account, one, last + BigInt(at) + 1n)
      if (due.length > 0) await tx.query(setNumber, [last + BigInt(due.length)])
      return due.length
    })
  }

  /** A side that was empty at the issue is printed as it is now. */
  const withSides = (row: InvoiceRow, now: Client) => ({
    issuer: isSet(row.issuer) ? row.issuer : issuer,
    client: isSet(row.client) ? row.client : now,
  })

  async function readIssued(account: string, row: InvoiceRow): Promise<Invoice> {
    const lines = await db.query(readLines, [account, `${row.month}-01`])
    return {
      ...row,
      account,
      state: 'issued',
      lines: sorted(lines.map(({ line, ...rest }) => ({ name: line, ...rest }))),
      ...withSides(row, await particulars.read(account)),
    }
  }

  async function readOpen(account: string, month: string): Promise<Invoice | undefined> {
    const open = await openMonths(db, account)
    const one = open.find((found) => found.month === month) ?? (await emptyMonth(account, month))
    if (!one) return undefined
    return {
      account,
      month,
      state: one.isOver ? 'due' : 'preview',
      number: undefined,
      issuedAt: undefined,
      ...(await figures(db, account, one)),
      issuer,
      client: await particulars.read(account),
    }
  }

  /** The running month is there without movements, too. */
  async function emptyMonth(account: string, month: string): Promise<Open | undefined> {
    if (month !== monthAt(clock.now())) return undefined
    const period = { from: startOf(month), to: startOf(nextMonth(month)) }
    const { last } = await periods.versions(db, account, period)
    return { month, after: last, upto: last, isOver: false }
  }

  return {
    particulars,
    hasIssuer: isSet(issuer),
    async list(account) {
      const issued = await db.query(listInvoices, [account])
      const open = await openMonths(db, account)
      const items = await Promise.all(
        open.map(async (one): Promise<Item> => {
          const { total } = await figures(db, account, one)
          const state = one.isOver ? 'due' : 'preview'
          return { month: one.month, state, number: undefined, issuedAt: undefined, total }
        }),
      )
      const running = monthAt(clock.now())
      if (![...issued, ...open].some(({ month }) => month === running)) {
        const none = { number: undefined, issuedAt: undefined, total: 0n }
        items.push({ month: running, state: 'preview', ...none })
      }
      return [...items.reverse(), ...issued.map((row): Item => ({ ...row, state: 'issued' }))]
    },
    async read(account, month) {
      const issued = await db.query(listInvoices, [account])
      const row = issued.find((one) => one.month === month)
      return row ? readIssued(account, row) : readOpen(account, month)
    },
    issue,
    async issueAll() {
      const done = { accounts: 0, invoices: 0 }
      for (let after = NO_ID; ; ) {
        const accounts = await periods.moved(after, ACCOUNTS)
        for (const account of accounts) {
          const invoices = await issue(account)
          if (invoices > 0) done.accounts += 1
          done.invoices += invoices
        }
        if (accounts.length < ACCOUNTS) return done
        after = accounts.at(-1)!
      }
    },
  }
}

const NO_ID = '00000000-0000-0000-0000-000000000000'

const later = (a: string, b: string) => (a > b ? a : b)

/** As it is printed. */
export const numberWords = (number: bigint) => `INV-${String(number).padStart(6, '0')}`
