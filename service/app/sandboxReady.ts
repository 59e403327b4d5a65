import { setTimeout as pause } from 'node:timers/promises'
import type { Sun } from '../kernel/index.ts'
import type { App } from './app.ts'

const POLL_MS = 25
/** About 20 seconds. What takes longer needs a person, and a person needs the sandbox. */
const POLLS_MAX = 800
/** As long as a delegation of own stake lives. */
const LIFE_MS = 60_000

/** A deposit that has to be on the balance. */
export type Deposited = { account: string; amount: Sun }

/**
 * Waits until a first order would complete: the deposit is credited, a new block is read, every provider
 * that can sell has quoted. Returns what is still missing after that.
 */
export async function untilReady(
  app: App,
  deposited: Deposited | undefined,
): Promise<string | undefined> {
  await app.rooms.providers.refresh().catch(() => {})
  for (let polls = 1; ; polls++) {
    const lack = await missing(app, deposited)
    if (lack === undefined || polls === POLLS_MAX) return lack
    await pause(POLL_MS)
  }
}

async function missing(
  { rooms }: App,
  deposited: Deposited | undefined,
): Promise<string | undefined> {
  const balance = deposited && (await rooms.ledger.balanceOf(deposited.account)).balance
  if (deposited && balance! < deposited.amount) return 'the deposit of the demo account'
  if (!(await rooms.chain.ground(LIFE_MS)) || rooms.chain.lag.behind()) return 'a new block'
  if (!(await haveQuoted(rooms))) {
    await rooms.providers.refresh().catch(() => {})
    return (await haveQuoted(rooms)) ? undefined : 'the offer of a provider'
  }
  return undefined
}

/** Providers that an operator, a script or their failures keep from selling are not waited for. */
async function haveQuoted({ providers }: App['rooms']): Promise<boolean> {
  const rows = await providers.list()
  const down = new Set(rows.flatMap((row) => (row.behaviour === 'down' ? row.name : [])))
  const health = await providers.health()
  return health.every(
    ({ name, enabled, unable }) =>
      !enabled || down.has(name) || unable === null || unable === 'failed too often lately',
  )
}
