// Proves: orders, ledger, delivery.
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'
import { partOfToday } from './manyDeaths.ts'
import { ask, runWorld, type World } from './mortalWorld.ts'

// A deposit, a purchase, its delivery and its reclaim, with kill -9 after every step, one at a
// time: nothing is lost, nothing is doubled, everything becomes final.

const DEPOSIT = 50_000_000n
const ENERGY = 65_000
/** Number of days in which every place is tried. */
const PARTS = 18
/**
 * After every commit. A crash before one rolls back to the one before, so a few of those are
 * enough. Reconciling runs once at the start and then every ten minutes: on a slow machine it comes
 * late enough to be a step of the first run, and too early in the others.
 */
const COMMITS =
  /^committed after (chain\.(?!readCursor|readBroadcasts)|deposits\.(?!\w*Reconciliation|creditNotVerified|knownDifferences|sweepsUnderWay)|orders\.(?!find|read)|delivery\.|signing\.(?!read)|ledger\.)/
const INSIDE = [
  'chain.moveCursor',
  'deposits.confirmDeposits',
  'delivery.insertAttempt',
  'ledger.transfer',
]

async function live(world: World): Promise<void> {
  const { devnet, children } = world
  const [payer, other] = devnet.chain.network.funded
  const receiver = toBase58(other!.address)
  const { api_key: key, deposit_address } = await ask(world, 'POST', '/sandbox/accounts', {
    body: {},
  })
  await until('an offer', async () => {
    const { total_price_sun } = await ask(world, 'GET', `/v1/estimate?resource_amount=${ENERGY}`, {
      key,
    })
    return total_price_sun !== undefined
  })
  children.app.arm()
  children.signer.arm()

  await fetch(`${devnet.url}/control/transfer`, {
    method: 'POST',
    body: JSON.stringify({
      from: toBase58(payer!.address),
      to: deposit_address,
      amount_sun: String(DEPOSIT),
    }),
  })
  devnet.chain.mine()
  await until('the credit', async () => {
    const { balance_trx } = await ask(world, 'GET', '/v1/account', { key })
    return balance_trx === '50'
  })
  const body = { receiver_address: receiver, resource_amount: ENERGY }
  const bought = await ask(world, 'POST', '/v1/buy', { key, body, idempotencyKey: 'once' })
  await until('COMPLETED', async () => {
    devnet.chain.mine()
    const { status } = await ask(world, 'GET', `/v1/order/${bought.order_id}`, { key })
    expect(status).not.toBe('FAILED')
    return status === 'COMPLETED'
  })
  const spent = DEPOSIT - BigInt(bought.total_price_sun!)
  const [account] = await world.database.sql<{ balance: string }>(
    `select balance_sun as balance from ledger.account where version > 0`,
  )
  expect(BigInt(account!.balance)).toBe(spent)
  await ask(world, 'POST', '/sandbox/clock', { body: { advance_seconds: 3_700 } })
  await until('the Energy is taken back', async () => {
    devnet.chain.mine()
    const rows = await world.database.sql(
      `select from delivery.delegation where reclaimed_at is not null`,
    )
    return rows.length === 1
  })
}

async function check(world: World): Promise<void> {
  const { database, devnet } = world
  expect(await brokenInvariants(database)).toEqual([])
  const [counts] = await database.sql(`
    select (select count(*)::int from orders.purchase_order) as orders,
           (select count(*)::int from deposits.deposit) as deposits,
           (select count(*)::int from ledger.movement) as movements,
           (select count(*)::int from orders.purchase_order where status <> 'COMPLETED') as open`)
  expect(counts).toEqual({ orders: 1, deposits: 1, movements: 3, open: 0 })
  // By the chain alone: one delegation and one reclaim.
  const types = Array.from({ length: devnet.chain.head.number }, (_, index) =>
    devnet.chain.block(index + 1),
  )
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract.type)
  const count = (type: string) => types.filter((one) => one === type).length
  expect([count('DelegateResourceContract'), count('UnDelegateResourceContract')]).toEqual([1, 1])
}

test(
  'kill -9 at every step of deposit, purchase, delivery and reclaim',
  async () => {
    const { steps } = await runWorld({ live, check })
    const points = (['app', 'signer'] as const).flatMap((program) =>
      steps[program]
        .filter((step) => COMMITS.test(step) || INSIDE.includes(step))
        .map((step) => ({ program, step })),
    )
    expect(points.length).toBeGreaterThan(20)
    const { part, parts } = partOfToday(PARTS)
    const queue = points.filter((_, place) => place % parts === part)
    console.log(`purchase: killed at ${queue.length} of ${points.length} places`)
    const failures: string[] = []
    const work = async () => {
      for (let point = queue.shift(); point; point = queue.shift()) {
        try {
          const { deaths } = await runWorld({ live, check }, point)
          if (deaths !== 1) failures.push(`${point.step}: died ${deaths} times`)
        } catch (error) {
          failures.push(`${point.program} at ${point.step}: ${(error as Error).message}`)
        }
      }
    }
    await Promise.all([work(), work()])
    expect(failures).toEqual([])
  },
  stretched(1_000_000),
)
