// Proves: deposits, signing.
import { mnemonic } from '@ergon/devnet'
import { privateKeyAt, toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../testing/app.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { stretched } from '../testing/stretched.ts'
import { sendWithKey } from '../testing/thief.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Verified TRX is swept from deposit addresses to the hot wallet, and booked once, whatever
// crashes.

const TRX = 1_000_000n
const SWEEP_MIN = sun(10n * TRX)
/** Each step needs three programs, which takes long on a busy machine. */
const WITHIN_MS = 50_000
vi.setConfig({ testTimeout: stretched(150_000) })

let database: TestDatabase
let devnet: Awaited<ReturnType<typeof openDevnet>>

beforeAll(async () => {
  database = await createTestDatabase()
  devnet = await openDevnet()
})
afterAll(async () => {
  await devnet.close()
  await database.drop()
})

const open = (options: TestAppOptions = {}) =>
  openTestApp({ database, devnet, signer: true, sweepMin: SWEEP_MIN, ...options })

async function inApp(options: TestAppOptions, work: (app: TestApp) => Promise<void>) {
  const app = await open(options)
  try {
    await work(app)
  } finally {
    await app.close()
  }
}

const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) devnet.chain.mine()
}
const balanceAt = (app: TestApp, address: string) =>
  app.rooms.chain.node.getAccount(toHex(address)).then((account) => account?.balance ?? 0n)
const sweepsOf = (address: string) =>
  database.sql<{ state: string; txid: string; amount_sun: string; fee_sun: string | null }>(
    `select state, txid, amount_sun, fee_sun from deposits.sweep where address = $1 order by id`,
    [address],
  )
const movementsOf = (txid: string) =>
  database.sql(
    `select kind, debit, credit, amount_sun from ledger.movement where reference_id = $1 order by kind desc`,
    [txid],
  )

async function deposited(app: TestApp, trx: string) {
  const account = await app.newAccount({ deposit_trx: trx })
  devnet.chain.mine()
  const credited = async () => (await app.rooms.ledger.balanceOf(account.account_id)).balance > 0n
  await until('the credit', credited)
  mine(SOLID_LAG + 1)
  await until('the holding', async () => {
    const [row] = await database.sql(`select from deposits.holding where address = $1`, [
      account.deposit_address,
    ])
    return row
  })
  return account
}

const untilSwept = (address: string, state: string) =>
  until(`a sweep that is ${state}`, async () => {
    const sweeps = await sweepsOf(address)
    return sweeps.find((sweep) => sweep.state === state)
  })

/** Mines until the newest sweep of this address is solid; returns it when it is booked. */
async function mineUntilBooked(address: string, count = 1) {
  const newest = async () => (await sweepsOf(address)).at(-1)
  const { txid } = await until(
    'the sweep on its way',
    async () => {
      // One query: between two of them the next sweep can come.
      const sweep = (await sweepsOf(address))[count - 1]
      if (!sweep) return undefined
      const isSent = devnet.chain.pool.has(sweep.txid) || devnet.chain.transaction(sweep.txid)
      return isSent ? sweep : undefined
    },
    WITHIN_MS,
  )
  mine(SOLID_LAG + 2)
  return until(
    'the sweep to be booked',
    async () => {
      const sweep = await newest()
      return sweep?.state === 'booked' && sweep.txid === txid ? sweep : undefined
    },
    WITHIN_MS,
  )
}

test('a verified deposit is swept whole to the hot wallet and booked once, when solid', () =>
  inApp({}, async (app) => {
    const before = await balanceAt(app, SANDBOX_HOT_ADDRESS)
    const { deposit_address } = await deposited(app, '25')
    const { txid } = await untilSwept(deposit_address, 'open')
    await until('the sweep in the pool', () => devnet.chain.pool.has(txid))
    // In a block that may still be orphaned: it is not booked yet.
    for (const _block of [1, 2]) {
      mine(1)
      await app.scanned()
      expect(await sweepsOf(deposit_address)).toMatchObject([{ state: 'open' }])
    }
    const booked = await mineUntilBooked(deposit_address)
    expect(booked).toMatchObject({ txid, amount_sun: '25000000', fee_sun: '0' })
    expect(await balanceAt(app, deposit_address)).toBe(0n)
    expect(await balanceAt(app, SANDBOX_HOT_ADDRESS)).toBe(before + 25n * TRX)
    expect(await movementsOf(txid)).toEqual([
      {
        kind: 'sweep',
        debit: 'asset:hot',
        credit: 'asset:deposit_addresses',
        amount_sun: '25000000',
      },
    ])
    expect(await brokenInvariants(database)).toEqual([])
    expect((await app.rooms.deposits.reconciling().reconcile()).surplus).toBeGreaterThan(0n)
  }))

test('without free bandwidth something stays for the fee, which is booked as a cost', () =>
  inApp({}, async (app) => {
    const { deposit_address } = await deposited(app, '30')
    // Two sweeps within a day use up the free bandwidth of the address.
    const [funded] = devnet.chain.network.funded
    const more = async () => {
      const body = {
        from: toBase58(funded!.address),
        to: deposit_address,
        amount_sun: 30_000_000,
      }
      await app.call('POST', '/sandbox/chain/transfer', { body })
      mine(SOLID_LAG + 2)
    }
    for (const count of [1, 2, 3]) {
      await mineUntilBooked(deposit_address, count)
      if (count < 3) await more()
    }
    const last = (await sweepsOf(deposit_address)).at(-1)!
    expect(Number(last.amount_sun)).toBe(29_500_000)
    expect(Number(last.fee_sun)).toBeGreaterThan(0)
    expect(await movementsOf(last.txid)).toContainEqual({
      kind: 'network_fee',
      debit: 'cost:network',
      credit: 'asset:deposit_addresses',
      amount_sun: last.fee_sun,
    })
    const [held] = await database.sql<{ amount_sun: string }>(
      `select amount_sun from deposits.holding where address = $1`,
      [deposit_address],
    )
    expect(BigInt(held!.amount_sun)).toBe(await balanceAt(app, deposit_address))
  }))

test('killed at every stage and started again, the same bytes go out and are booked once', async () => {
  let address = ''
  let txid = ''
  // The request is written and nobody signs it.
  await inApp({ signer: false }, async (app) => {
    address = (await deposited(app, '40')).deposit_address
    txid = (await untilSwept(address, 'open')).txid
  })
  // It is signed and perhaps sent; no block is made.
  await inApp({}, async () => {
    await until('the pool to hold it', () => devnet.chain.pool.has(txid))
  })
  // A block contains it while no scanner runs, and a restart finds it there.
  mine(2)
  await inApp({}, async () => void (await mineUntilBooked(address)))
  await inApp({}, async (app) => {
    mine(2)
    await app.scanned()
    expect(await sweepsOf(address)).toMatchObject([{ txid, state: 'booked' }])
    expect(await balanceAt(app, address)).toBe(0n)
    expect(await movementsOf(txid)).toHaveLength(1)
  })
})

test('bytes that expired unseen are dead, and only then new ones are made', async () => {
  let address = ''
  await inApp({ signer: false }, async (app) => {
    address = (await deposited(app, '50')).deposit_address
    await untilSwept(address, 'open')
    await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 300 } })
  })
  await inApp({}, async (app) => {
    await until('the old bytes to be dead', async () => {
      devnet.chain.mine()
      return (await sweepsOf(address))[0]?.state === 'dead'
    })
    await mineUntilBooked(address, 2)
    expect((await sweepsOf(address)).map(({ state }) => state)).toEqual(['dead', 'booked'])
    expect(await balanceAt(app, address)).toBeLessThan(TRX)
  })
})

test('two workers at once sweep an address once', async () => {
  await inApp({}, (one) =>
    inApp({ signer: false }, async () => {
      const accounts = [await deposited(one, '60'), await deposited(one, '61')]
      for (const { deposit_address } of accounts) {
        await mineUntilBooked(deposit_address)
        expect(await sweepsOf(deposit_address)).toHaveLength(1)
      }
    }),
  )
})

test('below the threshold nothing is swept, and with the switch off nothing at all', () =>
  inApp({}, async (app) => {
    const small = await deposited(app, '9.999999')
    await app.rooms.deposits.setSweeping(false, 'test')
    const large = await deposited(app, '70')
    expect(await app.rooms.deposits.sweep()).toBe(0)
    expect(await sweepsOf(large.deposit_address)).toEqual([])
    await app.rooms.deposits.setSweeping(true, '')
    // The worker's own loop may have swept it a moment before: one sweep in either case.
    await app.rooms.deposits.sweep()
    await mineUntilBooked(large.deposit_address)
    expect(await sweepsOf(large.deposit_address)).toHaveLength(1)
    expect(await sweepsOf(small.deposit_address)).toEqual([])
  }))

test('nothing is swept while the chain holds less than we owe', () =>
  inApp({}, async (app) => {
    await app.rooms.deposits.setSweeping(false, 'until the shortage is planted')
    const { account_id, deposit_address } = await deposited(app, '80')
    const planted = async (amount: bigint, reference: string) =>
      app.db.transaction((tx) =>
        app.rooms.ledger.post(tx, [
          {
            client: account_id,
            kind: 'adjustment',
            reference,
            amount: sun(amount),
            counter: 'equity:operator',
            description: 'planted',
            trace: 'test',
          },
        ]),
      )
    const { reconcile } = app.rooms.deposits.reconciling()
    const { surplus } = await reconcile()
    await planted(surplus + 1n, 'plant')
    expect((await reconcile()).surplus).toBe(-1n)
    await app.rooms.deposits.setSweeping(true, '')
    expect(await app.rooms.deposits.reconciling().shortage()).toBe(
      '0.000001 TRX are missing on the chain',
    )
    expect(await app.rooms.deposits.sweep()).toBe(0)
    expect(await sweepsOf(deposit_address)).toEqual([])
    const metrics = await app.call('GET', '/metrics')
    expect(metrics.text).toContain('ergon_reconciliation_surplus_trx -0.000001')
    await planted(-surplus - 1n, 'unplant')
    // The worker's own loop may have swept it a moment before: one sweep in either case.
    await app.rooms.deposits.sweep()
    await mineUntilBooked(deposit_address)
  }))

test('TRX that the treasury itself sends to a deposit address is no deposit', () =>
  inApp({ sweepMin: sun(1_000_000n * TRX) }, async (app) => {
    const account = await app.newAccount()
    const value = {
      owner_address: toHex(SANDBOX_HOT_ADDRESS),
      to_address: toHex(account.deposit_address),
      amount: 5n * TRX,
    }
    sendWithKey(devnet, privateKeyAt(mnemonic, 0, 2), { type: 'TransferContract', value })
    await until('the transfer', async () => {
      devnet.chain.mine()
      return (await balanceAt(app, account.deposit_address)) === 5n * TRX
    })
    await app.scanned()
    expect((await app.rooms.ledger.balanceOf(account.account_id)).balance).toBe(0n)
  }))
