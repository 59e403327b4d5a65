import { formatTrx } from '../../service/kernel/index.ts'
import { findPgbench, type PgbenchOptions, preparePgbench, runPgbench } from './pgbench.ts'
import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import { startPlain, type World } from './world.ts'

const AMOUNT = 65_000
const CONNECTIONS = 64

const buy = 'POST /buy, 64 connections, 1,000 accounts'
const buyHot = 'POST /buy, 64 connections, one account'
const buyAlone = 'POST /buy, 1 connection'
const plain = 'plain service, 64 connections, 1,000 accounts'
const plainHot = 'plain service, 64 connections, one account'
const plainAlone = 'plain service, 1 connection'
const interactive = 'pgbench interactive, 64 clients'
const interactiveHot = 'pgbench interactive, 64 clients, one account'
const writesOnly = 'pgbench interactive, writes without checks, 64 clients'
const oneFunction = 'pgbench one function, 64 clients'

/** Targets on a quiet machine; docs/operating/performance.md explains them. */
export const purchaseFigures: Figure[] = [
  { figure: buy, of: buy, baseline: plain, value: 'perSecond', must: 4, aim: 7 },
  { figure: buy, of: buy, baseline: interactive, value: 'perSecond', must: 2.5, aim: 4 },
  { figure: buy, of: buy, baseline: writesOnly, value: 'perSecond' },
  { figure: buy, of: buy, baseline: oneFunction, value: 'perSecond' },
  { figure: buyHot, of: buyHot, baseline: plainHot, value: 'perSecond', must: 12, aim: 20 },
  { figure: buyHot, of: buyHot, baseline: interactiveHot, value: 'perSecond' },
  { figure: buyAlone, of: buyAlone, baseline: plainAlone, value: 'perSecond', must: 1, aim: 1.3 },
  {
    figure: `${buy}: p99`,
    of: buy,
    baseline: plain,
    value: 'p99Ms',
    must: 0.333,
    aim: 0.167,
    atMost: true,
  },
]

export async function purchaseVariants(world: World): Promise<Variant[]> {
  const price = await priceNow(world)
  const { accounts, receivers, admin } = world
  await preparePgbench(admin, { accounts, receiver: receivers[0]!, priceTrx: formatTrx(price) })
  const plainService = await startPlain(world, price)
  return [
    ...serviceVariants(world, { url: world.appUrl, pid: world.appPid }, [buy, buyHot, buyAlone]),
    ...serviceVariants(world, plainService, [plain, plainHot, plainAlone]),
    ...pgbenchVariants(world, price),
  ]
}

/** The service's current price, so that both sides move the same amounts. */
async function priceNow({ appUrl, accounts }: World): Promise<bigint> {
  const answer = await fetch(`${appUrl}/v1/estimate?resource_amount=${AMOUNT}`, {
    headers: { 'x-api-key': accounts[0]!.key },
  })
  const { total_price_sun } = (await answer.json()) as { total_price_sun: number }
  return BigInt(total_price_sun)
}

type Server = { url: string; pid: number }

let runs = 0
function serviceVariants(world: World, server: Server, names: [string, string, string]): Variant[] {
  const { accounts, receivers } = world
  const port = Number(new URL(server.url).port)
  const variant = (name: string, connections: number, buyers: number): Variant => ({
    name,
    server: server.pid,
    run: (seconds) =>
      world.load({
        ports: [port],
        connections,
        seconds,
        requests: {
          kind: 'buy',
          keys: accounts.slice(0, buyers).map(({ key }) => key),
          receivers,
          amount: AMOUNT,
          run: `bench-${runs++}`,
        },
      }),
  })
  const [many, hot, alone] = names
  return [
    variant(many, CONNECTIONS, accounts.length),
    variant(hot, CONNECTIONS, 1),
    variant(alone, 1, accounts.length),
  ]
}

function pgbenchVariants({ postgres, accounts, folder }: World, price: bigint): Variant[] {
  const program = findPgbench()
  if (!program) return []
  const variant = (
    name: string,
    options: Pick<PgbenchOptions, 'script' | 'clients' | 'accounts'>,
  ): Variant => ({
    name,
    server: 0,
    run: (seconds) => {
      // Only the owner may write the ledger's tables; the service's role may not.
      const role = options.script === 'one-function' ? 'ergon_app' : 'ergon_admin'
      const url = postgres.url(role)
      return runPgbench(program, { ...options, url, amount: AMOUNT, price, seconds, folder })
    },
  })
  const all = accounts.length
  return [
    variant(interactive, { script: 'interactive', clients: CONNECTIONS, accounts: all }),
    variant(interactiveHot, { script: 'interactive', clients: CONNECTIONS, accounts: 1 }),
    variant(writesOnly, { script: 'writes-only', clients: CONNECTIONS, accounts: all }),
    variant(oneFunction, { script: 'one-function', clients: CONNECTIONS, accounts: all }),
  ]
}
