import { type HexAddress, parseAddress } from '@ergon/tron'
import { lateMs, type Script } from './behaviour.ts'
import type { Delegator } from './delegator.ts'
import { fulfil } from './fulfil.ts'
import { energyToDelegate, isHeld, type Order } from './order.ts'
import { statedBalance, statedOrders } from './statement.ts'
import type { createTopUps } from './topUps.ts'

export type Wish = {
  receiver: string
  energy: bigint
  cost: bigint
  reference?: string | undefined
}

/** Why an order was not taken; each marketplace has its own words for it. */
export type Why = 'scripted' | 'stock' | 'balance' | 'address' | 'inactive'

/** `silent`: the client never hears of it, whether there is an order now or not. */
export type Placement =
  | { kind: 'accepted'; order: Order }
  | { kind: 'refused'; why: Why }
  | { kind: 'silent' }

/** What a client of a stand-in has to show. Published and worth nothing. */
export type Access = { key: string; secret: string }

export type Market = ReturnType<typeof createMarket>

type Options = {
  access: Access
  delegator: Delegator
  script: Script
  newId(count: number, wallMs: number): string
  wallMs(): number
  /** Whether a search finds an order already; what its own id names is always there. */
  isListed?: (order: Order) => boolean
  topUps?: ReturnType<typeof createTopUps>
}

const openingBalance = 1_000_000_000_000n

/** What every stand-in does alike: an account with a balance, orders, and delegations for them. */
export function createMarket(options: Options) {
  const { access, delegator, script, newId, wallMs, isListed = () => true, topUps } = options
  const orders: Order[] = []
  let balance = openingBalance
  let current = script
  let seenHead = ''
  let unanswered = 0
  // One thing at a time: two requests must not take the same room or make one delegation twice.
  let turn: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work)
    turn = next.catch(() => {})
    return next
  }

  async function capacity(): Promise<bigint> {
    const free = await delegator.room()
    const promised = orders
      .filter(({ state, behaviour }) => state === 'paid' && behaviour !== 'lost_delegation')
      .reduce((sum, order) => sum + energyToDelegate(order), 0n)
    const left = free - promised
    const room = current.room && current.room.left < left ? current.room.left : left
    return room < 0n ? 0n : room
  }

  async function refusal({ receiver, energy, cost }: Wish): Promise<Why | undefined> {
    if (current.behaviour === 'fail') return 'scripted'
    const address = parseAddress(receiver)
    if (!address) return 'address'
    const state = await delegator.receiverState(address)
    if (state !== 'ready') return state === 'inactive' ? 'inactive' : 'address'
    if ((await capacity()) < energy) return 'stock'
    return cost > balance ? 'balance' : undefined
  }

  function accept({ receiver, energy, cost, reference }: Wish, chainMs: number): Order {
    const { behaviour, delayMs, room } = current
    const now = wallMs()
    const order: Order = {
      id: newId(orders.length + 1, now),
      reference,
      receiver: parseAddress(receiver) as HexAddress,
      energy,
      cost,
      refund: behaviour === 'partial' ? cost / 2n : 0n,
      behaviour,
      acceptedAt: now,
      notBefore: { wall: now + delayMs, chain: chainMs + lateMs },
      state: 'paid',
      delegation: undefined,
      delegatedAt: undefined,
      reclaim: undefined,
      closed: false,
      room,
    }
    if (room) room.left -= energy
    balance -= cost
    orders.push(order)
    return order
  }

  /** The order as it stands on the chain now. */
  const find = (fits: (order: Order) => boolean): Promise<Order | undefined> =>
    inTurn(async () => {
      const order = orders.findLast(fits)
      if (order) await step(order, (await delegator.head()).timestamp)
      return order
    })

  async function step(order: Order, chainMs: number): Promise<void> {
    const before = order.state
    await fulfil(order, delegator, { wall: wallMs(), chain: chainMs })
    if (before !== 'ended' && order.state === 'ended') balance += order.refund
  }

  const stated = () => statedOrders(orders, current.statement, newId)

  return {
    access,
    wallMs,
    delegator: delegator.owner,
    orders: orders as readonly Order[],
    /** What a search goes through. */
    listed: () => stated().filter(isListed),
    script: () => current,
    change(next: Script) {
      current = next
    },
    /** As clients are told: the statement's fault is in it. */
    balance: () => statedBalance(balance, orders, stated()),
    /** What was paid to the deposit address, which is the address that it delegates from. */
    topUps: () => topUps?.seen ?? [],
    /** Adds what was paid to the deposit address. */
    async collect() {
      // Not in one expression: another look may change the balance meanwhile.
      const more = (await topUps?.collect(() => current.topUp)) ?? 0n
      balance += more
    },
    /** For tests: spends the balance on nothing. */
    drain(to: bigint) {
      balance = to
    },
    /** A call that the script leaves without an answer; the result ends it. */
    leaveUnanswered() {
      unanswered += 1
      return () => {
        unanswered -= 1
      }
    },
    unanswered: () => unanswered,
    /** Ids of orders that the script keeps from their delegation, or their client from hearing of its end. */
    held: (hidesPartialEnd = false) =>
      orders
        .filter((order) => isHeld(order, wallMs()) || (hidesPartialEnd && order.state === 'ended'))
        .map(({ id }) => id),
    capacity,

    place: (wish: Wish): Promise<Placement> =>
      inTurn(async () => {
        if (current.behaviour === 'timeout_before_accept') return { kind: 'silent' }
        const why = await refusal(wish)
        if (why) return { kind: 'refused', why }
        const { timestamp } = await delegator.head()
        const order = accept(wish, timestamp)
        await step(order, timestamp)
        const isLost = order.behaviour === 'timeout_after_accept'
        return isLost ? { kind: 'silent' } : { kind: 'accepted', order }
      }),

    find,
    /** By the client's own words, as far as the search has it. */
    search: (fits: (order: Order) => boolean) => find((order) => isListed(order) && fits(order)),

    /** The client needs it no more: the stake is taken back before the hour is over. */
    giveBack: (fits: (order: Order) => boolean): Promise<Order | undefined> =>
      inTurn(async () => {
        const order = orders.findLast(fits)
        if (order?.delegation && order.delegatedAt !== undefined && !order.reclaim) {
          order.reclaim = await delegator.reclaim(order.delegation)
        }
        return order
      }),

    /** Takes a step with every order that is not over; without a new block only wall time counts. */
    tick: (): Promise<void> =>
      inTurn(async () => {
        const open = orders.filter(({ closed }) => !closed)
        if (open.length === 0) return
        const head = await delegator.head()
        const due = head.id === seenHead ? open.filter(({ state }) => state === 'paid') : open
        for (const order of due) await step(order, head.timestamp)
        seenHead = head.id
      }),
  }
}
