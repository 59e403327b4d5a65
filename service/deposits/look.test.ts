import { mnemonic } from '@ergon/devnet'
import { addressOfPrivateKey, privateKeyAt, toBase58, toHex } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { SOLID_LAG } from '../../proof/testing/solidLag.ts'
import { sendWithKey } from '../../proof/testing/thief.ts'
import { until } from '../../proof/testing/until.ts'
import { sun } from '../kernel/index.ts'

const TRX = 1_000_000n
const HOT_KEY = privateKeyAt(mnemonic, 0, 2)
const HOT = addressOfPrivateKey(HOT_KEY)

let app: TestApp
/** What the chain says of planted addresses. */
const chain = new Map<string, bigint>()
let asked: string[] = []
let positions = 1_000_000

beforeAll(async () => {
  app = await openTestApp({ role: 'api', scans: true, sweepMin: sun(10n * TRX) })
  await app.database.sql(
    `insert into signing.address (address, purpose, position) values ($1, 'hot', 0)`,
    [HOT],
  )
  const { node } = app.rooms.chain
  const real = node.getSolidAccount
  vi.spyOn(node, 'getSolidAccount').mockImplementation(async (address) => {
    asked.push(address)
    const balance = chain.get(toBase58(address))
    const account = await real(balance === undefined ? address : HOT)
    return account && balance !== undefined ? { ...account, balance } : account
  })
  app.devnet.chain.mine()
  await app.scanned()
})
beforeEach(() => {
  asked = []
})
afterEach(async () => {
  chain.clear()
  await app.database.sql('delete from addresses.address; truncate deposits.holding, deposits.sweep')
  await app.database.sql('update deposits.pass set position = -1, counted = 0, held = 0')
})
afterAll(() => app.close())

const { sql } = { sql: (text: string, values?: unknown[]) => app.database.sql(text, values) }
const reconciling = () => app.rooms.deposits.reconciling()
const askedFor = (address: string) => asked.filter((one) => one === toHex(address)).length

/** Addresses with so much in our books, and the same on the chain. */
async function plant(count: number, amount: bigint): Promise<string[]> {
  const planted: string[] = []
  for (let n = 0; n < count; n++) {
    positions += 1
    const address = toBase58(`41${positions.toString(16).padStart(40, '0')}`)
    planted.push(address)
    chain.set(address, amount)
  }
  const first = positions - count + 1
  await sql(
    `insert into identity.account (id, name, created_at)
     select gen_random_uuid(), 'planted ' || n, now() from generate_series($1::int, $2::int) n`,
    [first, positions],
  )
  await sql(
    `insert into addresses.address (position, address, purpose, account_id, created_at)
     select $2 + g.place, g.address, 'deposit', (select id from identity.account where name = 'planted ' || ($2 + g.place)), now()
       from unnest($1::text[]) with ordinality as g(address, place)`,
    [planted, first - 1],
  )
  await sql(
    `insert into deposits.holding (address, amount_sun) select g, $2 from unnest($1::text[]) g`,
    [planted, amount],
  )
  return planted
}

const differences = () =>
  sql(
    `select address, difference_sun::int8 as difference from deposits.holding where difference_sun <> 0 order by address`,
  )

test('a reconciliation asks for the hot wallet only, however many addresses there are', async () => {
  await plant(5, TRX)
  await reconciling().reconcile()
  expect(asked).toEqual([HOT])
  asked = []
  await plant(300, TRX)
  await reconciling().reconcile()
  expect(asked).toEqual([HOT])
})

test('a round reads a slice of the addresses, and all of them in turn', async () => {
  const planted = await plant(250, TRX)
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    asked = []
    await reconciling().look()
    rounds.push(asked.length)
  }
  expect(rounds).toEqual([100, 100, 50])
  expect(vi.mocked(app.rooms.chain.node.getSolidAccount).mock.calls.flat()).toEqual(
    expect.arrayContaining(planted.map(toHex)),
  )
  expect(await differences()).toEqual([])
  expect((await reconciling().reconcile()).depositAddresses.count).toBe(250)
})

test('a wrong balance is found within one pass, counts in the surplus, and goes when it fits again', async () => {
  const planted = await plant(250, 3n * TRX)
  const [less, more] = [planted[17]!, planted[230]!]
  chain.set(less, 1n * TRX)
  chain.set(more, 8n * TRX)
  const { surplus } = await reconciling().reconcile()
  for (let round = 0; round < 3; round++) await reconciling().look()
  expect(await differences()).toEqual([
    { address: less, difference: '-2000000' },
    { address: more, difference: '5000000' },
  ])
  expect((await reconciling().reconcile()).surplus).toBe(surplus + 3n * TRX)
  chain.set(less, 3n * TRX)
  asked = []
  await reconciling().look()
  // In every round, with any slice: what differs is read again each time.
  expect(askedFor(more)).toBe(1)
  expect(await differences()).toEqual([{ address: more, difference: '5000000' }])
})

test('money on an address that never had a deposit is found', async () => {
  const [address] = await plant(1, 4n * TRX)
  await sql('delete from deposits.holding')
  await reconciling().look()
  expect(await differences()).toEqual([{ address, difference: '4000000' }])
})

test('before a batch of sweeps its own addresses are asked for, and dust never', async () => {
  await plant(150, TRX)
  const due = await plant(3, 25n * TRX)
  expect(await app.rooms.deposits.sweep()).toBe(3)
  expect(asked.toSorted()).toEqual([HOT, ...due.map(toHex)].toSorted())
  asked = []
  expect(await app.rooms.deposits.sweep()).toBe(0)
  expect(asked).toEqual([])
})

test('an address with less than a sweep on the chain is asked for once, and keeps no other waiting', async () => {
  const empty = await plant(25, 40n * TRX)
  const [full] = await plant(1, 20n * TRX)
  for (const address of empty) chain.set(address, TRX)
  // A batch is twenty, the largest first.
  expect(await app.rooms.deposits.sweep()).toBe(0)
  expect(await app.rooms.deposits.sweep()).toBe(1)
  asked = []
  expect(await app.rooms.deposits.sweep()).toBe(0)
  expect(asked).toEqual([])
  expect(await sql(`select address from deposits.sweep`)).toEqual([{ address: full }])
})

test('an address with a sweep under way is not judged', async () => {
  const [address] = await plant(1, 25n * TRX)
  expect(await app.rooms.deposits.sweep()).toBe(1)
  // Its block is solid at the node, and not booked here.
  chain.set(address!, 0n)
  await reconciling().look()
  expect(await differences()).toEqual([])
})

test('a sweep that a solid block holds is counted once before it is booked', async () => {
  const real = (await app.rooms.chain.node.getSolidAccount(HOT))!.balance
  const [address] = await plant(1, 25n * TRX)
  expect(await app.rooms.deposits.sweep()).toBe(1)
  const { surplus } = await reconciling().reconcile()
  const [swept] = await app.database.sql<{ amount: string }>(
    'select amount_sun as amount from deposits.sweep',
  )
  chain.set(address!, 25n * TRX - BigInt(swept!.amount))
  chain.set(toBase58(HOT), real + BigInt(swept!.amount))
  await sql(`insert into chain.broadcast (txid, signed_bytes, expires_at, state, block_number)
    select s.txid, '', now(), 'included', c.solid_number from deposits.sweep s, chain.cursor c`)
  expect((await reconciling().reconcile()).surplus).toBe(surplus)
  await sql('delete from chain.broadcast')
})

test('an amount that was booked while the node was asked is not judged', async () => {
  const [address] = await plant(1, 5n * TRX)
  vi.mocked(app.rooms.chain.node.getSolidAccount).mockImplementationOnce(async () => {
    await sql('update deposits.holding set amount_sun = 9000000 where address = $1', [address])
    return undefined
  })
  await reconciling().look()
  expect(await differences()).toEqual([])
})

/** As if the scanner had not seen the newest solid block of the node. */
async function behind<T>(work: () => Promise<T>): Promise<T> {
  const { node } = app.rooms.chain
  const solid = await node.getSolidBlock()
  const seen = (await app.rooms.chain.progress())!
  const late = { ...seen, number: solid.number - 1, solidNumber: solid.number - 1 - SOLID_LAG }
  const spy = vi.spyOn(app.rooms.chain, 'progress').mockResolvedValue(late)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}

test('money in a block that the scanner has not seen is no difference', async () => {
  const [address] = await plant(1, 5n * TRX)
  chain.set(address!, 9n * TRX)
  await behind(() => reconciling().look())
  expect(await differences()).toEqual([])
  await reconciling().look()
  expect(await differences()).toEqual([{ address, difference: '4000000' }])
})

test('nothing is swept while the scanner is behind the solid block', async () => {
  await plant(1, 25n * TRX)
  await behind(async () => {
    expect((await reconciling().reconcile()).unsteady).toBe(true)
    expect(await app.rooms.deposits.sweep()).toBe(0)
  })
  expect((await reconciling().reconcile()).unsteady).toBe(false)
  expect(await app.rooms.deposits.sweep()).toBe(1)
})

test('a sweep that is booked during the reading is counted once', async () => {
  const real = (await app.rooms.chain.node.getSolidAccount(HOT))!
  await plant(1, 25n * TRX)
  expect(await app.rooms.deposits.sweep()).toBe(1)
  const { surplus } = await reconciling().reconcile()
  const [swept] = await app.database.sql<{ amount: string }>(
    'select amount_sun as amount from deposits.sweep',
  )
  await sql(`insert into chain.broadcast (txid, signed_bytes, expires_at, state, block_number)
    select s.txid, '', now(), 'included', c.solid_number from deposits.sweep s, chain.cursor c`)
  vi.mocked(app.rooms.chain.node.getSolidAccount).mockImplementationOnce(async () => {
    await sql(`update deposits.sweep set state = 'booked', fee_sun = 0, ended_at = now()`)
    return { ...real, balance: real.balance + BigInt(swept!.amount) }
  })
  expect((await reconciling().reconcile()).surplus).toBe(surplus)
  await sql('delete from chain.broadcast')
})

test('TRX of our own treasury on a deposit address is read when its block is solid, also after a fork', async () => {
  const { deposit_address } = await app.newAccount()
  await plant(120, TRX)
  const send = () => {
    const value = { owner_address: HOT, to_address: toHex(deposit_address), amount: 5n * TRX }
    return sendWithKey(app.devnet, HOT_KEY, {
      type: 'TransferContract',
      value,
    })
  }
  const mine = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) app.devnet.chain.mine()
    await app.scanned()
  }
  const solidAgain = async () => {
    await mine(SOLID_LAG + 1)
    await until('no later solid block', async () => {
      const { solidNumber, number } = (await app.rooms.chain.progress())!
      return number - solidNumber <= SOLID_LAG
    })
  }
  const look = async () => {
    asked = []
    await reconciling().look()
    return askedFor(deposit_address)
  }
  // The account is at the first position, and the pass is beyond it.
  await look()
  const txid = send()
  await mine(1)
  expect(await look()).toBe(0)
  app.devnet.chain.reorg(1, new Set([txid]))
  await solidAgain()
  expect([await look(), await differences()]).toEqual([1, []])

  send()
  await solidAgain()
  const found = [{ address: deposit_address, difference: '5000000' }]
  expect([await look(), await differences()]).toEqual([1, found])
})
