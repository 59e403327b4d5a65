import { type ChildProcess, fork } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@ergon/devnet'
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { SANDBOX_MNEMONIC_FILE } from '../../service/main/sandboxNetwork.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A deposit, a purchase, its delivery and its reclaim, with kill -9 after every step of them, one at
// a time: nothing is lost, nothing is doubled, everything becomes final.

type Program = 'house' | 'signer'
type World = { database: TestDatabase; devnet: Devnet; children: Record<Program, Mortal> }

const DEPOSIT = 50_000_000n
const ENERGY = 65_000
/** After every commit. What dies before one is rolled back to the one before, so a few of those are enough. */
const COMMITS =
  /^committed after (chain\.(?!readCursor|readBroadcasts)|deposits\.|orders\.(?!find|read)|delivery\.|signing\.(?!read)|ledger\.)/
const INSIDE = [
  'chain.moveCursor',
  'deposits.confirmDeposits',
  'delivery.insertAttempt',
  'ledger.transfer',
]

/** A child that is started again, without its fault, when it dies. */
class Mortal {
  readonly steps: string[] = []
  url = ''
  deaths = 0
  #child: ChildProcess | undefined
  #closing = false
  readonly #program: Program
  readonly #env: Record<string, string>

  constructor(program: Program, env: Record<string, string>) {
    this.#program = program
    this.#env = env
  }

  async start(dieAt = ''): Promise<void> {
    const child = fork(join(import.meta.dirname, 'mortalProcess.ts'), {
      env: {
        ...this.#env,
        MORTAL_PROGRAM: this.#program,
        MORTAL_STEP: dieAt,
        NODE_COMPILE_CACHE: join(tmpdir(), 'ergon-compile-cache'),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    })
    this.#child = child
    await new Promise<void>((ready) => {
      child.on('message', (message: 'ready' | { url?: string; step?: string }) => {
        if (typeof message === 'object' && message.step) this.steps.push(message.step)
        else {
          if (typeof message === 'object') this.url = message.url ?? ''
          ready()
        }
      })
    })
    child.once('exit', () => {
      if (this.#closing) return
      this.deaths += 1
      void this.start()
    })
  }

  arm() {
    this.#child?.send('arm')
  }

  async close() {
    this.#closing = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    await new Promise((gone) => {
      child.once('exit', gone)
      child.kill('SIGKILL')
    })
  }
}

async function openWorld(dieAt: { program: Program; step: string } | undefined): Promise<World> {
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  const children = {
    house: new Mortal('house', {
      MORTAL_DATABASE: database.url('ergon_app'),
      MORTAL_NODE: devnet.url,
    }),
    signer: new Mortal('signer', {
      DATABASE_SIGNER_URL: database.url('ergon_signer'),
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
    }),
  }
  const fault = (program: Program) => (dieAt?.program === program ? dieAt.step : '')
  await Promise.all([children.house.start(fault('house')), children.signer.start(fault('signer'))])
  return { database, devnet, children }
}

/** Retries while the house is down, as a careful client does: with the same key. */
async function ask(world: World, method: string, path: string, options: Record<string, unknown>) {
  const { key, body, idempotencyKey } = options as {
    key?: string
    body?: unknown
    idempotencyKey?: string
  }
  return until(`${method} ${path} is answered`, async () => {
    const headers: Record<string, string> = { 'x-api-key': key ?? '' }
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(world.children.house.url + path, {
      method,
      headers,
      ...given,
    }).catch(() => undefined)
    if (!answer || answer.status >= 500 || answer.status === 409) return undefined
    return (await answer.json()) as Record<string, never>
  })
}

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
  children.house.arm()
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
  // What only the chain knows: one delegation, one return, whatever happened in between.
  const types = Array.from({ length: devnet.chain.head.number }, (_, index) =>
    devnet.chain.block(index + 1),
  )
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract.type)
  const count = (type: string) => types.filter((one) => one === type).length
  expect([count('DelegateResourceContract'), count('UnDelegateResourceContract')]).toEqual([1, 1])
}

async function runWorld(dieAt: { program: Program; step: string } | undefined) {
  const world = await openWorld(dieAt)
  try {
    await live(world)
    const { house, signer } = world.children
    // The last commit's own step may come after the world has seen its effect.
    if (dieAt) await until('it dies', () => world.children[dieAt.program].deaths === 1)
    await check(world)
    return {
      steps: { house: house.steps, signer: signer.steps },
      deaths: house.deaths + signer.deaths,
    }
  } finally {
    await Promise.all([world.children.house.close(), world.children.signer.close()])
    await world.devnet.close()
    await world.database.drop()
  }
}

test('kill -9 at every step of deposit, purchase, delivery and reclaim', async () => {
  const { steps } = await runWorld(undefined)
  const points = (['house', 'signer'] as const).flatMap((program) =>
    steps[program]
      .filter((step) => COMMITS.test(step) || INSIDE.includes(step))
      .map((step) => ({ program, step })),
  )
  expect(points.length).toBeGreaterThan(20)
  const queue = [...points]
  const failures: string[] = []
  const work = async () => {
    for (let point = queue.shift(); point; point = queue.shift()) {
      try {
        const { deaths } = await runWorld(point)
        if (deaths !== 1) failures.push(`${point.step}: died ${deaths} times`)
      } catch (error) {
        failures.push(`${point.program} at ${point.step}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all([work(), work()])
  expect(failures).toEqual([])
}, 600_000)
