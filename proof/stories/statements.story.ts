// Proves: books, providers, ledger, operator.
import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// What two marketplaces say that they charged, asked through their APIs: TronSave lists its orders, iTRX tells its balance.

const SOLD = 65_000
const PRICE = { tronsave: 19n, itrx: 20n } as const
const COST = BigInt(SOLD) * PRICE.tronsave

let devnet: Devnet
let tronsave: StandIn
let itrx: StandIn
let market: Market
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet()
  tronsave = await openStandIn(devnet, 'tronsave')
  itrx = await openStandIn(devnet, 'itrx')
  const open = [tronsave, itrx]
  market = await openMarket({
    devnet,
    marketplaces: open.map((one) => one.adapter),
    standIns: new Map(open.map(({ name, controlUrl }) => [name, controlUrl])),
  })
  client = await market.fundedAccount('10000')
  await behave('own_stake', 'down')
  await compare()
  // The first balance was read two hours ago: all that is ordered here comes after it.
  await market.database.sql(
    `update books.statement_source set anchor_at = anchor_at - interval '2 hours' where way = 'balance'`,
  )
})
afterAll(async () => {
  await market?.close()
  await Promise.all([tronsave, itrx].map((one) => one?.close()))
  await devnet?.close()
})
beforeEach(async () => {
  await plant(tronsave, 'ok')
  await plant(itrx, 'ok')
})

async function behave(name: string, behaviour: string) {
  const answer = await market.call('POST', `/sandbox/providers/${name}`, { body: { behaviour } })
  expect(answer.status).toBe(200)
}

async function plant(one: StandIn, statement: string) {
  const body = JSON.stringify({ statement })
  const answer = await fetch(one.controlUrl, { method: 'POST', body })
  expect(answer.status).toBe(200)
}

let next = 0
/** One delivered order at this marketplace alone. */
async function deliverBy(name: 'tronsave' | 'itrx'): Promise<string> {
  await behave('tronsave', name === 'tronsave' ? 'ok' : 'down')
  await behave('itrx', name === 'itrx' ? 'ok' : 'down')
  const receiver_address = market.receivers[next++ % market.receivers.length]
  const { body } = await market.buy(client, { body: { receiver_address } })
  await until('it is delivered', async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${body.order_id}`)).body.status === 'COMPLETED'
  })
  await behave('tronsave', 'ok')
  await behave('itrx', 'ok')
  const [attempt] = await market.database.sql<{ id: string }>(
    `select a.id from delivery.attempt a join delivery.part p on p.id = a.part_id
      where p.request_id = $1 and a.state = 'delivered'`,
    [body.order_id],
  )
  return attempt!.id
}

/** What was called a moment ago may not be on a statement yet. */
const anHourAgo = (attempt: string) =>
  market.database.sql(
    `update delivery.attempt set called_at = called_at - interval '1 hour' where id = $1`,
    [attempt],
  )

/** One comparison of both, on demand. */
async function compare(): Promise<void> {
  const { statements } = market.rooms
  await until('both are known', async () => (await statements.sources()).length === 2)
  expect(await statements.ask()).toEqual(['itrx', 'tronsave'])
  await until('both were tried', async () => {
    await statements.loop.runOnce()
    const sources = await statements.sources()
    return sources.every(({ dueAt, isReading }) => dueAt > new Date() && !isReading)
  })
}

const differences = (provider: string) =>
  market.rooms.statements.differences({ waiting: true, provider })

/** Each test begins with sides that agree. */
async function agreed(provider: string) {
  expect(await differences(provider)).toEqual([])
}

const bookedFor = async (reference: string) =>
  market.database.sql<{ debit: string; credit: string; amount: string }>(
    `select debit, credit, amount_sun::text as amount from ledger.movement
      where kind = 'provider_correction' and reference_id = $1`,
    [reference],
  )

describe('by orders', () => {
  test('what both have alike is no difference, and is on the page of its day', async () => {
    await deliverBy('tronsave')
    await compare()
    await agreed('tronsave')
    const days = await market.rooms.statements.days({ from: '2020-01-01', to: '2099-01-01' })
    const found = days.filter(({ provider }) => provider === 'tronsave')
    expect(found).toMatchObject([{ theirs: COST, ours: COST, matched: 1n, open: 0n }])
  })

  test.each([
    ['unknown_order', 'never_asked', COST, 0n],
    ['another_amount', 'other_amount', COST + 1_000_000n, COST],
    ['charged_twice', 'charged_twice', COST * 2n, COST],
    ['missing', 'not_charged', 0n, COST],
    ['refunded', 'refunded', 0n, COST],
  ])('%s is found as %s, and closes itself when they correct it', async (fault, kind, ...sides) => {
    const attempt = await deliverBy('tronsave')
    if (fault === 'missing') await anHourAgo(attempt)
    await plant(tronsave, fault)
    await compare()
    const [row, ...more] = await differences('tronsave')
    expect(more).toEqual([])
    const [theirs, ours] = sides
    expect(row).toMatchObject({ kind, theirs, ours, state: 'open' })
    expect(row!.attemptId).toBe(kind === 'never_asked' ? null : attempt)
    // Seen again it is the same one.
    await compare()
    expect((await differences('tronsave')).map(({ id }) => id)).toEqual([row!.id])
    await plant(tronsave, 'ok')
    await compare()
    await agreed('tronsave')
    const all = await market.rooms.statements.differences({ waiting: false })
    expect(all.find(({ id }) => id === row!.id)).toMatchObject({
      state: 'closed',
      note: 'Both sides agree by now.',
    })
    expect(await bookedFor(row!.id)).toEqual([])
  })

  test('accepting books the difference once, in the open month; nothing differs afterwards', async () => {
    await deliverBy('tronsave')
    await plant(tronsave, 'another_amount')
    await compare()
    const [row] = await differences('tronsave')
    const { statements } = market.rooms
    const decision = { id: row!.id, as: 'accept', by: 'ann', why: 'their invoice' } as const
    expect(await statements.decide({ ...decision, shown: 1n })).toMatch(/changed meanwhile/)
    const both = await Promise.all([statements.decide(decision), statements.decide(decision)])
    expect(both.filter((one) => typeof one === 'string')).toEqual(['It is accepted already.'])
    expect(await bookedFor(row!.id)).toEqual([
      {
        debit: 'cost:provider:tronsave',
        credit: 'asset:provider_float:tronsave',
        amount: '1000000',
      },
    ])
    await compare()
    await agreed('tronsave')
    // They take it back later: that is a difference of its own, the other way round.
    await plant(tronsave, 'ok')
    await compare()
    const [later] = await differences('tronsave')
    expect(later).toMatchObject({ theirs: COST, ours: COST + 1_000_000n })
    await statements.decide({ ...decision, id: later!.id })
    expect(await bookedFor(later!.id)).toEqual([
      {
        debit: 'asset:provider_float:tronsave',
        credit: 'cost:provider:tronsave',
        amount: '1000000',
      },
    ])
    await compare()
    await agreed('tronsave')
  })

  test('a claim stays open until the credit is seen; it may be given up', async () => {
    await deliverBy('tronsave')
    await plant(tronsave, 'another_amount')
    await compare()
    const [row] = await differences('tronsave')
    const { statements } = market.rooms
    const said = { by: 'ann', why: 'they were told' }
    await statements.decide({ id: row!.id, as: 'claim', ...said })
    expect(await statements.decide({ id: row!.id, as: 'claim', ...said })).toBe(
      'It is claimed already.',
    )
    await compare()
    expect(await differences('tronsave')).toMatchObject([{ id: row!.id, state: 'claimed' }])
    await plant(tronsave, 'ok')
    await compare()
    await agreed('tronsave')
    const all = await statements.differences({ waiting: false })
    expect(all.find(({ id }) => id === row!.id)!.note).toBe(
      'Their credit was seen: both sides agree.',
    )
    expect(await statements.decide({ id: row!.id, as: 'accept', ...said })).toMatch(/closed itself/)
  })

  test('an unreadable or unreachable statement stops nobody else, says why, and is tried again', async () => {
    const attempt = await deliverBy('tronsave')
    for (const [fault, words] of [
      ['unreadable', /no amount of order/],
      ['down', /status 503/],
    ] as const) {
      const before = await market.rooms.statements.sources()
      await plant(tronsave, fault)
      await compare()
      const [other, own] = await market.rooms.statements.sources()
      expect(own).toMatchObject({ provider: 'tronsave', comparedAt: before[1]!.comparedAt })
      expect(own!.trouble).toMatch(words)
      expect(other!.comparedAt!.getTime()).toBeGreaterThan(before[0]!.comparedAt!.getTime())
      expect(other!.trouble).toBeNull()
    }
    expect(attempt).toBeDefined()
    await plant(tronsave, 'ok')
    await compare()
    await agreed('tronsave')
    expect((await market.rooms.statements.sources())[1]!.trouble).toBeNull()
  })
})

describe('by balance', () => {
  const COST_ITRX = BigInt(SOLD) * PRICE.itrx

  test('a balance that fell by what was booked is no difference', async () => {
    await anHourAgo(await deliverBy('itrx'))
    await compare()
    await agreed('itrx')
  })

  test.each([
    ['another_amount', 1_000_000n],
    ['unknown_order', COST_ITRX],
    ['refunded', -COST_ITRX],
  ])(
    '%s is a difference of the balance, decided once and not seen again',
    async (fault, amount) => {
      await anHourAgo(await deliverBy('itrx'))
      await compare()
      await agreed('itrx')
      await plant(itrx, fault)
      await compare()
      const [row, ...more] = await differences('itrx')
      expect(more).toEqual([])
      expect(row).toMatchObject({ kind: 'balance', attemptId: null })
      expect(row!.theirs - row!.ours).toBe(amount)
      const { statements } = market.rooms
      await statements.decide({ id: row!.id, as: 'accept', by: 'ann', why: 'they are right' })
      const [moved] = await bookedFor(row!.id)
      expect(moved!.debit).toBe(`${amount > 0n ? 'cost:provider' : 'asset:provider_float'}:itrx`)
      await compare()
      await agreed('itrx')
      // Put right again, so that the next test begins with equal sides.
      await plant(itrx, 'ok')
      await compare()
      const [back] = await differences('itrx')
      await statements.decide({ id: back!.id, as: 'accept', by: 'ann', why: 'they took it back' })
      await compare()
      await agreed('itrx')
    },
  )
})

test('in the console an operator sees what a decision books, decides it with a reason, and it is logged', async () => {
  const operator = await openOperator(market)
  const range = 'from=2020-01-01&to=2099-01-01'
  const read = async () => (await operator.call('GET', `/books/statements?${range}`)).body
  await deliverBy('tronsave')
  await plant(tronsave, 'another_amount')
  const run = await operator.call('POST', '/books/statements/run', { why: 'an invoice came' })
  expect([run.status, run.body]).toEqual([200, { providers: ['itrx', 'tronsave'] }])
  const unknown = { provider: 'nobody', why: 'an invoice came' }
  expect((await operator.call('POST', '/books/statements/run', unknown)).status).toBe(400)
  const found = await until('the difference is found', async () => {
    await market.rooms.statements.loop.runOnce()
    const { differences: rows } = await read()
    return rows.find((one: { state: string }) => one.state === 'open')
  })
  expect(found).toMatchObject({ kind: 'other_amount', difference_trx: '1', provider: 'tronsave' })
  const counted = (await market.call('GET', '/metrics')).text
  expect(counted).toMatch(/^ergon_statement_differences\{state="open"\} 1$/m)
  expect(counted).toMatch(/^ergon_statement_age_seconds\{provider="itrx"\} \d/m)
  expect(counted).toMatch(/^ergon_stuck_work\{what="statement_differences"\} 1$/m)

  const path = `/books/statements/${found.id}`
  const effect = await operator.call('GET', `${path}/effect?resolution=accept`)
  expect(effect.body.booked_trx).toBe('1')
  expect(effect.body.sentence).toMatch(/^1 TRX go from cost:provider:tronsave/)
  const decide = (difference_trx: string) =>
    operator.call('POST', path, { resolution: 'accept', difference_trx, why: 'their invoice' })
  expect((await decide('2')).text).toMatch(/changed meanwhile/)
  expect((await decide('one')).status).toBe(400)
  expect((await decide('1')).body).toMatchObject({ resolution: 'accept', booked_trx: '1' })
  expect((await decide('1')).text).toMatch(/accepted already/)
  expect(await bookedFor(found.id)).toHaveLength(1)
  const { actions } = (await operator.call('GET', '/actions?limit=20')).body
  const own = actions.filter((one: { what: string }) => one.what === 'decide_statement')
  expect(own.map((one: { done: boolean }) => one.done)).toEqual([false, true, false])
  const { differences: all, days } = await read()
  expect(all.find((one: { id: string }) => one.id === found.id)).toMatchObject({
    state: 'accepted',
    decided_by: operator.email,
    why: 'their invoice',
  })
  expect(days.length).toBeGreaterThan(0)
})
