// Proves: deposits, signing, chain.
import { type Devnet, mnemonic } from '@ergon/devnet'
import { type Contract, type HexAddress, privateKeyAt, toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SANDBOX_DELEGATE_ADDRESS, SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import { readTrust, writeTrust } from '../../service/signer/trust.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { openThief, sendWithKey } from '../testing/thief.ts'
import { turnOn } from '../testing/turnOn.ts'
import { until } from '../testing/until.ts'
import { openDevnet, signerFolder } from '../testing/world.ts'

// An attacker has one of our keys. What they send is found in the block that holds it.

const TRX = 1_000_000n
const hot = toHex(SANDBOX_HOT_ADDRESS)
const hotKey = privateKeyAt(mnemonic, 0, 2)
const stakeKey = privateKeyAt(mnemonic, 1, 2)

let app: TestApp
let devnet: Devnet
let thief: HexAddress
let cold: HexAddress
beforeAll(async () => {
  devnet = await openDevnet()
  const [, , , one, another] = devnet.chain.network.funded
  thief = one!.address
  cold = another!.address
  const SIGNER_DIR = signerFolder(devnet)
  const caps = { hourlyTrx: 10, dailyTrx: 20, effectiveFrom: new Date(0).toISOString() }
  const treasury = [{ address: toBase58(cold), ...caps }]
  const { effectiveFrom } = caps
  const witnesses = [{ address: toBase58(devnet.chain.network.witness.address), effectiveFrom }]
  writeTrust(SIGNER_DIR, { ...readTrust(SIGNER_DIR), treasury, witnesses })
  app = await openTestApp({ devnet, signer: { SIGNER_DIR }, sweepMin: sun(10n * TRX) })
})
afterAll(async () => {
  await app.close()
  await devnet.close()
})
beforeEach(() => turnOn(app.database))

const transfer = (from: HexAddress, to: HexAddress, amount: bigint): Contract => ({
  type: 'TransferContract',
  value: { owner_address: from, to_address: to, amount },
})
const mine = (blocks = 1) => {
  for (let block = 0; block < blocks; block++) app.devnet.chain.mine()
}
const untilRead = () =>
  until('the newest block is read', async () => {
    const at = await app.rooms.chain.progress()
    return at?.number === app.devnet.chain.head.number
  })
const found = () => app.rooms.signing.outflows.list()
const isOn = async () => (await app.rooms.signing.enabled()).enabled

async function deposited(trx: string) {
  const account = await app.newAccount({ deposit_trx: trx })
  mine(SOLID_LAG + 2)
  await until('the holding', async () => {
    const [row] = await app.database.sql(`select from deposits.holding where address = $1`, [
      account.deposit_address,
    ])
    return row
  })
  return account
}

test('TRX that leaves the hot wallet is a finding in its block, and signing is off', async () => {
  const txid = sendWithKey(app.devnet, hotKey, transfer(hot, thief, 7n * TRX))
  mine()
  await untilRead()
  const block = BigInt(app.devnet.chain.head.number)
  expect(await found()).toMatchObject([
    { txid, address: hot, to: thief, amount: 7n * TRX, contract: 'TransferContract', block },
  ])
  expect(await app.rooms.signing.enabled()).toEqual({
    enabled: false,
    reason: expect.stringContaining(txid),
  })
  const { all, stuck } = await app.rooms.operator.status()
  expect(stuck.ok).toBe(false)
  expect(all).toContainEqual(expect.objectContaining({ what: 'outflows', count: 1n }))
  const { text } = await app.call('GET', '/metrics')
  expect(text).toMatch(/^ergon_stuck_work\{what="outflows"\} \d/m)
})

test('TRX that leaves a deposit address is a finding, even to another address of ours', async () => {
  const [poor, rich] = [await deposited('5'), await deposited('6')]
  const [row] = await app.database.sql<{ position: string }>(
    `select position from addresses.address where address = $1`,
    [poor.deposit_address],
  )
  const key = privateKeyAt(mnemonic, Number(row!.position), 1)
  const [from, to] = [toHex(poor.deposit_address), toHex(rich.deposit_address)]
  const txid = sendWithKey(app.devnet, key, transfer(from, to, TRX))
  mine()
  await untilRead()
  expect(await found()).toMatchObject([{ txid, address: from }])
  expect(await isOn()).toBe(false)
})

test('a row that names the theft hides nothing: the signer never signed it', async () => {
  const { account_id } = await deposited('5')
  const txid = sendWithKey(app.devnet, hotKey, transfer(hot, thief, 2n * TRX))
  await app.database.sql(
    `insert into deposits.payout (id, account_id, to_address, amount_sun, reason, requested_by, requested_at,
        approved_by, approved_at, state, txid)
      values (gen_random_uuid(), $1, $2, $3, 'mine', 'ann', now(), 'bob', now(), 'approved', $4)`,
    [account_id, toBase58(thief), 2n * TRX, txid],
  )
  mine()
  await untilRead()
  expect(await found()).toMatchObject([{ txid }])
  await app.database.sql(`delete from deposits.payout where txid = $1`, [txid])
})

/** Sends to the cold address what the signer signs for anybody, and waits until it has arrived. */
async function sentToCold(
  asking: Awaited<ReturnType<typeof openThief>>,
  prepare: (id: string) => Promise<unknown>,
) {
  const before = (await app.rooms.chain.node.getAccount(cold))!.balance
  const id = await asking.ask('treasury', transfer(hot, cold, TRX))
  await prepare(id)
  expect(await asking.answerTo(id)).toBe('signed')
  await until('it has arrived', async () => {
    mine()
    return (await app.rooms.chain.node.getAccount(cold))!.balance === before + TRX
  })
  await untilRead()
}

test('what the signer sends to a destination in its own file is a finding, unless it has its row', async () => {
  const asking = await openThief(app)
  await sentToCold(asking, (id) =>
    app.database.sql(
      `insert into treasury.transfer (id, kind, to_address, amount_sun, state, txid, signing_request, created_at)
       select id, 'surplus', $2, $3, 'requested', txid, id, now() from signing.request where txid = $1`,
      [id, toBase58(cold), TRX],
    ),
  )
  expect([await found(), await isOn()]).toEqual([[], true])
  await sentToCold(asking, async () => {})
  expect(await found()).toMatchObject([{ amount: TRX, contract: 'TransferContract' }])
  expect(await isOn()).toBe(false)
  await asking.end()
})

test('a change of the hot wallet that moves no TRX is a finding too', async () => {
  const value = { owner_address: hot, frozen_balance: 3n * TRX, resource: 'ENERGY' as const }
  sendWithKey(app.devnet, hotKey, { type: 'FreezeBalanceV2Contract', value })
  mine()
  await untilRead()
  expect(await found()).toMatchObject([{ contract: 'FreezeBalanceV2Contract', amount: 3n * TRX }])
})

test('a fork takes the block away, not the finding; in the next block it is the same one', async () => {
  const txid = sendWithKey(app.devnet, hotKey, transfer(hot, thief, TRX))
  mine()
  await untilRead()
  app.devnet.chain.reorg(1, new Set([txid]))
  mine()
  await untilRead()
  expect(await found()).toMatchObject([{ txid, block: null }])
  expect(await isOn()).toBe(false)

  const again = sendWithKey(app.devnet, hotKey, transfer(hot, thief, TRX))
  mine()
  await untilRead()
  app.devnet.chain.reorg(1)
  mine()
  await untilRead()
  const returned = (await found()).find((one) => one.txid === again)
  expect(returned?.block).not.toBeNull()
  expect(await found()).toHaveLength(2)
})

test('an acknowledged finding is not raised again when its block is read again', async () => {
  sendWithKey(app.devnet, hotKey, transfer(hot, thief, TRX))
  mine()
  await untilRead()
  expect(await found()).toHaveLength(1)
  await turnOn(app.database)
  await app.rooms.chain.rescan(1)
  expect([await found(), await isOn()]).toEqual([[], true])
})

test('our own sweeps and their fees are no findings, nor are transfers of others', async () => {
  await deposited('50')
  await until('the sweep is booked', async () => {
    mine()
    const rows = await app.database.sql(`select from deposits.sweep where state = 'booked'`)
    return rows.length > 0
  })
  const other = app.devnet.chain.network.funded[1]!
  sendWithKey(app.devnet, other.privateKey, transfer(other.address, thief, TRX))
  mine()
  await untilRead()
  expect([await found(), await isOn()]).toEqual([[], true])
})

test("the owner of a stake that is lent to us may move it; that is none of the signer's business", async () => {
  const owner = (await app.rooms.signing.addresses('stake'))[0]!
  sendWithKey(app.devnet, stakeKey, transfer(owner, thief, TRX))
  mine()
  await untilRead()
  expect([await found(), await isOn()]).toEqual([[], true])
})

test('what the signer signs of a stake is mined, and found where no room has asked for it', async () => {
  const owner = (await app.rooms.signing.addresses('stake'))[0]!
  // The owner lets our key freeze, unfreeze, withdraw, cancel, vote and claim as well.
  const keysOf = (address: HexAddress) => [{ address, weight: 1n }]
  const operations = `102000000000c00f${'0'.repeat(48)}`
  sendWithKey(app.devnet, stakeKey, {
    type: 'AccountPermissionUpdateContract',
    value: {
      owner_address: owner,
      owner: { permission_name: 'owner', threshold: 1n, keys: keysOf(owner) },
      actives: [
        {
          type: 'Active',
          threshold: 1n,
          operations,
          keys: keysOf(toHex(SANDBOX_DELEGATE_ADDRESS)),
        },
      ],
    },
  })
  mine()
  await untilRead()
  expect([await found(), await isOn()]).toEqual([[], true])
  const asking = await openThief(app)
  const votes = [{ vote_address: app.devnet.chain.network.witness.address, vote_count: 9n }]
  const value = { owner_address: owner, votes }
  const txid = await asking.ask('vote', {
    type: 'VoteWitnessContract',
    value,
    permissionId: 2,
  })
  expect(await asking.answerTo(txid)).toBe('signed')
  await until('the vote is counted', async () => {
    mine()
    return (await app.rooms.chain.node.getAccount(owner))!.votes.length === 1
  })
  await untilRead()
  expect(await found()).toMatchObject([{ txid, address: owner, contract: 'VoteWitnessContract' }])
  expect(await isOn()).toBe(false)
  await asking.end()
})
