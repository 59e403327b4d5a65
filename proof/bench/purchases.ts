import { formatTrx } from '../../service/kernel/index.ts'
import { findPgbench, type PgbenchOptions, preparePgbench, runPgbench } from './pgbench.ts'
import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import type { World } from './world.ts'

const AMOUNT = 65_000
const CONNECTIONS = 64

const buy = 'POST /buy, 64 connections, 1,000 accounts'
const buyHot = 'POST /buy, 64 connections, one account'
const buyAlone = 'POST /buy, 1 connection'
const interactive = 'pgbench interactive, 64 clients'
const interactiveHot = 'pgbench interactive, 64 clients, one account'
const interactiveAlone = 'pgbench interactive, 1 client'
const writesOnly = 'pgbench interactive, writes without checks, 64 clients'
const oneFunction = 'pgbench one function, 64 clients'

/** Targets on a quiet machine; docs/operating/performance.md says what they mean. */
export const purchaseFigures: Figure[] = [
  { figure: buy, of: buy, baseline: interactive, value: 'perSecond', must: 3, aim: 4 },
  { figure: buy, of: buy, baseline: writesOnly, value: 'perSecond' },
  { figure: buy, of: buy, baseline: oneFunction, value: 'perSecond', must: 1.5, aim: 2 },
  { figure: buyHot, of: buyHot, baseline: interactiveHot, value: 'perSecond', must: 12, aim: 18 },
  { figure: buyAlone, of: buyAlone, baseline: interactiveAlone, value: 'perSecond', aim: 1.1 },
  {
    figure: `${buy}: p99`,
    of: buy,
    baseline: interactive,
    value: 'p99Ms',
    must: 0.333,
    aim: 0.2,
    atMost: true,
  },
]

export async function purchaseVariants(world: World): Promise<Variant[]> {
  const price = await priceNow(world)
  const { accounts, receivers, admin } = world
  await preparePgbench(admin, { accounts, receiver: receivers[0]!, priceTrx: formatTrx(price) })
  return [...serviceVariants(world), ...pgbenchVariants(world, price)]
}

/** What the service would charge at this hour, so that both sides move the same amounts. */
async function priceNow({ appUrl, accounts }: World): Promise<bigint> {
  const answer = await fetch(`${appUrl}/v1/estimate?resource_amount=${AMOUNT}`, {
    headers: { 'x-api-key': accounts[0]!.key },
  })
  const { total_price_sun } = (await answer.json()) as { total_price_sun: number }
  return BigInt(total_price_sun)
}

function serviceVariants(world: World): Variant[] {
  const { accounts, receivers } = world
  const port = Number(new URL(world.appUrl).port)
  let runs = 0
  const variant = (name: string, connections: number, buyers: number): Variant => ({
    name,
    server: world.appPid,
    run: (seconds) =>
      world.load({
        port,
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
  return [
    variant(buy, CONNECTIONS, accounts.length),
    variant(buyHot, CONNECTIONS, 1),
    variant(buyAlone, 1, accounts.length),
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
      // The service may not write the ledger's tables; a client that does needs their owner.
      const role = options.script === 'one-function' ? 'ergon_app' : 'ergon_admin'
      const url = postgres.url(role)
      return runPgbench(program, { ...options, url, amount: AMOUNT, price, seconds, folder })
    },
  })
  const all = accounts.length
  return [
    variant(interactive, { script: 'interactive', clients: CONNECTIONS, accounts: all }),
    variant(interactiveHot, { script: 'interactive', clients: CONNECTIONS, accounts: 1 }),
    variant(interactiveAlone, { script: 'interactive', clients: 1, accounts: all }),
    variant(writesOnly, { script: 'writes-only', clients: CONNECTIONS, accounts: all }),
    variant(oneFunction, { script: 'one-function', clients: CONNECTIONS, accounts: all }),
  ]
}
