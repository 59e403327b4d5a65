import { type Chain, createStandIn, type Order, type StandIn } from '@ergon/devnet'
import { stringifyJson } from '@ergon/tron'
import type { MovableClock } from '../../service/kernel/index.ts'
import { createMarketplaces, type Marketplace } from '../../service/providers/index.ts'
import { type Seeded, seeded } from '../testing/seeded.ts'
import { calmMarkets, drawMarketRates, type MarketRates } from './rates.ts'
import type { Life, Scheduler } from './scheduler.ts'
import { steadyNode } from './world.ts'

/**
 * Catfee answers a repeated order with the existing one, Tronzap finds an order by our id, Tronsave
 * only lists orders.
 */
const NAMES = ['catfee', 'tronzap', 'tronsave'] as const
type Name = (typeof NAMES)[number]

/** The path of each marketplace's order request. */
const ORDER_PATHS: Record<Name, string> = {
  catfee: '/v1/order',
  tronzap: '/v1/transaction/new',
  tronsave: '/v2/buy-resource',
}
/**
 * An order arrives within the time that the service waits before it concludes that there is none.
 */
const TRAVEL_MS = { shortest: 1_000, longest: 12_000 }
/** Longest wait of an adapter, in simulated time instead of a timer of the machine. */
const ANSWER_MS_MAX = 8_000
const DELEGATE_MS_MAX = 6_000
/** SUN per Energy. The cheapest marketplace differs from seed to seed. */
const PRICE_LEAST = 17n
const PRICE_SPREAD = 6
const PRICE_MOVES = [-2n, -1n, 1n, 2n]

/** Energy of an order that its seller takes back. */
export type Taking = { order: Order; name: string; txid: string; stake: bigint; atMs: number }

type Request = Parameters<StandIn['dialect']['answer']>[0]
type Answer = { status: number; body: string }
/** One request to one marketplace; throws when no answer arrives. */
export type Wire = (name: string, request: Request) => Promise<Answer>

type Parts = {
  seed: number
  chain: Chain
  scheduler: Scheduler
  now(): number
  /** Rates that the seed does not draw. */
  weather: Partial<MarketRates> | undefined
  takesTopUps: boolean
}

/**
 * Marketplaces as the sandbox has them, without sockets. Each request is a step; requests and
 * answers are lost or delayed, searches lag, deliveries are late or partial.
 */
export class Markets {
  rates: MarketRates
  readonly #standIns: ReadonlyMap<Name, StandIn>
  readonly #random: Seeded
  readonly #scheduler: Scheduler
  readonly #now: () => number
  #travelling: { name: Name; request: Request; arrivesAtMs: number }[] = []
  /** When a request arrived, if that was while time jumped. */
  #arrivedAtMs: number | undefined

  constructor({ seed, chain, scheduler, now, weather, takesTopUps }: Parts) {
    this.#random = seeded(seed * 7_919 + 1)
    this.#scheduler = scheduler
    this.#now = now
    this.rates = { ...drawMarketRates(this.#random), ...weather }
    const node = steadyNode(chain)
    const wall = () => this.#arrivedAtMs ?? now()
    const isListed = ({ acceptedAt }: Order) => wall() >= acceptedAt + this.rates.lagMs
    this.#standIns = new Map(
      NAMES.map((name) => [name, createStandIn(name, { node, now: wall, isListed, takesTopUps })]),
    )
    for (const name of NAMES)
      this.#ask(name, PRICE_LEAST + BigInt(this.#random.below(PRICE_SPREAD)))
    scheduler.trace.note(JSON.stringify(this.rates))
  }

  calm(): void {
    this.rates = calmMarkets
  }

  /** All orders that the marketplaces accepted, with what they charged. */
  orders(): { name: Name; order: Order }[] {
    return [...this.#standIns].flatMap(([name, { market }]) =>
      market.orders.map((order) => ({ name, order })),
    )
  }

  standIn(name: string): StandIn['market'] {
    return this.#standIns.get(name as Name)!.market
  }

  /** Addresses the marketplaces delegate from. */
  owners(): string[] {
    return [...this.#standIns.values()].map(({ market }) => market.delegator)
  }

  /** The service's adapters over a simulated connection. */
  adaptersFor(life: Life, clock: MovableClock, spoil = (wire: Wire) => wire): Marketplace[] {
    const wire = spoil((name, request) => this.#send(life, name as Name, request))
    const call = async (url: string, init: RequestInit) => {
      const { hostname, pathname, search, searchParams: query } = new URL(url)
      const headers = init.headers as Record<string, string>
      const asked = {
        method: init.method!,
        target: `${pathname}${search}`,
        pathname,
        query,
        headers,
      }
      const request = { ...asked, body: String(init.body ?? '') }
      const { status, body } = await wire(hostname.split('.')[0]!, request)
      return { status, body: [Buffer.from(body)] }
    }
    const accesses = [...this.#standIns].map(([name, { market }]) => ({
      name,
      url: `http://${name}.invalid`,
      ...market.access,
    }))
    return createMarketplaces(accesses, { clock, fetch: call as unknown as typeof fetch })
  }

  /** Delivers delayed requests that are due, each at its own time. */
  async arrive(): Promise<void> {
    const now = this.#now()
    const due = this.#travelling.filter(({ arrivesAtMs }) => arrivesAtMs <= now)
    this.#travelling = this.#travelling.filter((one) => !due.includes(one))
    for (const { name, request, arrivesAtMs } of due.toSorted(
      (a, b) => a.arrivesAtMs - b.arrivesAtMs,
    )) {
      this.#arrivedAtMs = arrivesAtMs
      await this.#answer(name, request, 'late')
      this.#arrivedAtMs = undefined
    }
  }

  async onBlock(): Promise<void> {
    for (const [name, { market }] of this.#standIns) {
      if (this.#random.fraction() < this.rates.priceMove) {
        this.#ask(name, market.script().unitPrice + this.#random.pick(PRICE_MOVES))
      }
      await market.tick()
    }
  }

  #ask(name: Name, unitPrice: bigint): void {
    const { market } = this.#standIns.get(name)!
    market.change({ ...market.script(), unitPrice: unitPrice < 1n ? 1n : unitPrice })
    this.#scheduler.trace.note(`${name} asks ${unitPrice}`)
  }

  async #send(life: Life, name: Name, request: Request): Promise<Answer> {
    const { random } = life
    const { lostRequest, lostAnswer, slowOrder } = this.rates
    const givesUpAtMs = this.#now() + ANSWER_MS_MAX
    const waited = async (what: string) => {
      await life.step(`${name} ${what}`)
      if (this.#now() > givesUpAtMs) throw silence()
    }
    await waited(request.pathname)
    if (random.fraction() < lostRequest) throw silence()
    if (isOrder(name, request) && random.fraction() < slowOrder) {
      const { shortest, longest } = TRAVEL_MS
      const arrivesAtMs = this.#now() + shortest + random.below(longest - shortest)
      this.#travelling.push({ name, request, arrivesAtMs })
      throw silence()
    }
    // Work on the chain takes several turns of the event loop; hold the scheduler meanwhile.
    const working = { isBusy: true, pid: 0 }
    life.clients.add(working)
    const answer = await this.#answer(name, request, 'at once').finally(() => {
      life.clients.delete(working)
      this.#scheduler.stir()
    })
    await waited('has answered')
    if (random.fraction() < lostAnswer) throw silence()
    return answer
  }

  async #answer(name: Name, request: Request, when: string): Promise<Answer> {
    const { dialect, market } = this.#standIns.get(name)!
    if (isOrder(name, request)) this.#decide(name)
    const reply = await dialect.answer(request, market)
    if (reply === 'silence') throw silence()
    const body = stringifyJson(reply.json)
    if (isOrder(name, request)) {
      this.#scheduler.trace.note(`${name} takes an order ${when}: ${reply.status} ${body}`)
    }
    return { status: reply.status, body }
  }

  /** Draws the outcome of the next order. */
  #decide(name: Name): void {
    const { market } = this.#standIns.get(name)!
    const { refuse, partial, late } = this.rates
    const chance = this.#random.fraction()
    const behaviour =
      chance < refuse
        ? 'fail'
        : chance < refuse + partial
          ? 'partial'
          : chance < refuse + partial + late
            ? 'late'
            : 'ok'
    const delayMs = this.#random.below(DELEGATE_MS_MAX)
    market.change({ ...market.script(), behaviour, delayMs })
  }
}

export function isOrder(name: string, { method, pathname }: Request): boolean {
  return method === 'POST' && ORDER_PATHS[name as Name] === pathname
}

const silence = () => new DOMException('no answer arrived', 'TimeoutError')
