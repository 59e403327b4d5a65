import { createApart, type Db } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import { formatTrx, type Log, type Runtime } from '../kernel/index.ts'
import type { HealthRow, Providers } from '../providers/index.ts'
import type { Asking, Before } from './asking.ts'
import type { Reading, ReadingOf } from './reading.ts'
import { FEE_ROOM } from './reading.ts'
import type { FloatRow } from './settings.sql.ts'
import { LEAST_TRANSFER, type Settings } from './settings.ts'
import { toppedUp } from './store.ts'

const DAY_MS = 86_400_000

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  delivery: Delivery
  providers: Providers
  settings: Settings
  asking: Asking
  reading: ReadingOf
}

/** Tops up prepaid balances that are below their floor, one transfer for each marketplace at a time. */
export function createTopUps(deps: Deps) {
  const { db, runtime, log, delivery, providers, settings, asking, reading } = deps
  const of = { loop: 'treasury.plan', kind: 'float' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  /** Asked now: what was reported earlier may have been topped up or spent since. */
  async function freshBalance(provider: string): Promise<Before | undefined> {
    const { at: from, open } = await delivery.charges.open(provider)
    const balance = await providers.readFloat(provider)
    if (balance === undefined) return undefined
    const { at: till } = await delivery.charges.open(provider)
    return { balance, from, till, open }
  }

  /** Above what covers clients, what is under way, and the floor of the hot wallet, where it has one. */
  async function roomOf({ hot, surplus, underWay }: Reading): Promise<bigint> {
    const floor = (await settings.hotWallet())?.floor ?? 0n
    const [cover, hotRoom] = [surplus - underWay, hot - underWay - floor]
    return (cover < hotRoom ? cover : hotRoom) - FEE_ROOM
  }

  /** The amount, or why there is none. */
  async function amountFor(
    { provider, address, ceiling, dailyCap }: FloatRow,
    balance: bigint,
    read: Reading,
  ): Promise<bigint | string> {
    const dayAgo = new Date(runtime.clock.now().getTime() - DAY_MS)
    const [day] = await db.query(toppedUp, [provider, dayAgo])
    const left = await asking.left(address)
    if (left === undefined) return `${address} is no destination of the signer`
    const bounds = [
      { amount: dailyCap - day!.amount, why: 'its daily cap leaves' },
      { amount: left, why: "the signer's cap leaves" },
      { amount: await roomOf(read), why: 'the hot wallet has above its floor and what is owed' },
    ]
    const tight = bounds.reduce((one, other) => (other.amount < one.amount ? other : one))
    const room = tight.amount > 0n ? tight.amount : 0n
    if (room < LEAST_TRANSFER) return `${tight.why} ${formatTrx(room)} TRX`
    const wanted = ceiling - balance
    return wanted < room ? wanted : room
  }

  async function topUp(set: FloatRow, health: HealthRow | undefined): Promise<boolean> {
    const { provider, address, floor } = set
    const need = { kind: 'top_up', provider } as const
    const isLow = health !== undefined && health.float !== null && health.float < floor
    if (!set.enabled || !isLow) return asking.wait(need, undefined)
    if (!health.enabled) return asking.wait(need, 'the marketplace is switched off')
    const objection = await asking.objection(need)
    if (objection) return asking.wait(need, objection)
    const read = await reading.read()
    if ('hold' in read) return asking.wait(need, read.hold)
    const before = await freshBalance(provider)
    if (!before) return asking.wait(need, 'its balance cannot be read now')
    // A prepaid balance is never negative: such a reading would make the top-up larger than the ceiling.
    if (before.balance < 0n) return asking.wait(need, 'it says that its balance is below zero')
    if (before.balance >= floor) return asking.wait(need, undefined)
    const amount = await amountFor(set, before.balance, read)
    if (typeof amount === 'string') return asking.wait(need, amount)
    await asking.wait(need, undefined)
    return asking.ask({ need, to: address, amount, of: read, before })
  }

  return async function topUpAll(): Promise<number> {
    const floats = await settings.floats()
    if (floats.length === 0) return 0
    const health = await providers.health()
    const asked = await apart.each(
      floats,
      ({ provider }) => provider,
      (set) =>
        topUp(
          set,
          health.find(({ name }) => name === set.provider),
        ),
    )
    return asked.filter(Boolean).length
  }
}
