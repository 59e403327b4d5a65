import { afterEach, beforeEach, expect, test } from 'vitest'
import { blockJson, epoch, startTestNode, type TestNode, testClient } from './testNode.ts'

// Shapes as java-tron prints them: status 200 also for errors, zeros left out, {} for "not found".

let node: TestNode

beforeEach(async () => {
  node = await startTestNode()
  node.answer('wallet/getblock', { json: blockJson(100) })
})

afterEach(() => node.close())

const address = `41${'ab'.repeat(20)}`
const other = `41${'cd'.repeat(20)}`
const txId = 'ef'.repeat(32)
const constantCall = { ownerAddress: address, contractAddress: other, data: '70a08231' }

test('integers above 2^53 arrive exactly', async () => {
  const big = 9_223_372_036_854_775_807n
  node.answer('wallet/getaccount', { json: { address, balance: big } })
  const account = await testClient([node.url]).client.getAccount(address)
  expect(account?.balance).toBe(big)
})

test('an account that prints nothing has zeros', async () => {
  const frozenV2 = [{}, { type: 'ENERGY' }, { type: 'TRON_POWER' }]
  node.answer('wallet/getaccount', { json: { address, frozenV2 } })
  expect(await testClient([node.url]).client.getAccount(address)).toEqual({
    address,
    balance: 0n,
    createTime: 0,
    isContract: false,
    frozen: { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n },
    unfreezing: [],
    delegatedForEnergy: 0n,
    delegatedForBandwidth: 0n,
    acquiredForEnergy: 0n,
    acquiredForBandwidth: 0n,
    ownerPermission: undefined,
    activePermissions: [],
    votes: [],
    latestWithdraw: 0,
  })
})

test('stake, delegations, unstaking and permissions of an account are read', async () => {
  const keys = [{ address, weight: 1 }]
  node.answer('wallet/getaccount', {
    json: {
      address,
      balance: 5,
      create_time: epoch,
      frozenV2: [{ amount: 1 }, { type: 'ENERGY', amount: 2 }, { type: 'TRON_POWER' }],
      unfrozenV2: [{ type: 'ENERGY', unfreeze_amount: 3, unfreeze_expire_time: epoch }],
      delegated_frozenV2_balance_for_bandwidth: 4,
      acquired_delegated_frozenV2_balance_for_bandwidth: 6,
      account_resource: {
        delegated_frozenV2_balance_for_energy: 7,
        acquired_delegated_frozenV2_balance_for_energy: 8,
      },
      owner_permission: { permission_name: 'owner', threshold: 1, keys },
      active_permission: [
        { type: 'Active', id: 2, permission_name: 'hot', threshold: 1, operations: '06', keys },
      ],
    },
  })
  expect(await testClient([node.url]).client.getAccount(address)).toMatchObject({
    frozen: { BANDWIDTH: 1n, ENERGY: 2n, TRON_POWER: 0n },
    unfreezing: [{ resource: 'ENERGY', amount: 3n, expireTime: epoch }],
    delegatedForBandwidth: 4n,
    acquiredForBandwidth: 6n,
    delegatedForEnergy: 7n,
    acquiredForEnergy: 8n,
    ownerPermission: { permission_name: 'owner', threshold: 1n, keys: [{ address, weight: 1n }] },
    activePermissions: [{ type: 'Active', id: 2, operations: '06' }],
  })
})

test('{} and [] are "not there"', async () => {
  const { client } = testClient([node.url])
  for (const path of [
    'wallet/getaccount',
    'wallet/getaccountresource',
    'wallet/getblockbynum',
    'wallet/gettransactioninfobyid',
    'walletsolidity/gettransactioninfobyid',
    'wallet/getcontract',
    'wallet/getdelegatedresourcev2',
    'wallet/getblockbylimitnext',
    'wallet/getcandelegatedmaxsize',
  ]) {
    node.answer(path, { json: {} })
  }
  node.answer('wallet/gettransactioninfobyblocknum', { json: [] })
  expect(await client.getAccount(address)).toBeUndefined()
  expect(await client.getAccountResource(address)).toBeUndefined()
  expect(await client.getBlockByNum(7)).toBeUndefined()
  expect(await client.getTransactionInfoById(txId)).toBeUndefined()
  expect(await client.getSolidTransactionInfo(txId)).toBeUndefined()
  expect(await client.getContract(address)).toBeUndefined()
  expect(await client.getDelegatedResourceV2(address, other)).toEqual([])
  expect(await client.getBlocksByLimitNext(1, 3)).toEqual([])
  expect(await client.getTransactionInfosByBlockNum(7)).toEqual([])
  expect(await client.getCanDelegatedMaxSize(address, 'ENERGY')).toBe(0n)
})

test('resources, delegations, parameters and contracts are read, zeros filled in', async () => {
  const { client } = testClient([node.url])
  node.answer('wallet/getaccountresource', { json: { freeNetLimit: 600, EnergyLimit: 74641 } })
  expect(await client.getAccountResource(address)).toMatchObject({
    freeNetLimit: 600n,
    energyLimit: 74641n,
    energyUsed: 0n,
  })
  const delegated = { from: address, to: other, frozen_balance_for_energy: 1_000_000 }
  node.answer('wallet/getdelegatedresourcev2', { json: { delegatedResource: [delegated] } })
  expect(await client.getDelegatedResourceV2(address, other)).toEqual([
    {
      from: address,
      to: other,
      balanceForEnergy: 1_000_000n,
      expireTimeForEnergy: 0,
      balanceForBandwidth: 0n,
      expireTimeForBandwidth: 0,
    },
  ])
  expect(node.asked.at(-1)?.body).toEqual({ fromAddress: address, toAddress: other })
  const chainParameter = [{ key: 'getEnergyFee', value: 100 }, { key: 'getMemoFee' }]
  node.answer('wallet/getchainparameters', { json: { chainParameter } })
  const parameters = await client.getChainParameters()
  expect(parameters.get('getEnergyFee')).toBe(100n)
  expect(parameters.get('getMemoFee')).toBe(0n)
  expect(parameters.get('getNothing')).toBeUndefined()
  node.answer('wallet/getcontract', { json: { contract_address: address, origin_address: other } })
  expect(await client.getContract(address)).toMatchObject({ address, originAddress: other })
})

test('a constant call that ran, one that reverted and one that was refused', async () => {
  const { client } = testClient([node.url])
  const call = constantCall
  const path = 'wallet/triggerconstantcontract'
  const result = { result: true }
  node.answer(path, { json: { result, energy_used: 935, constant_result: ['01'] } })
  expect(await client.triggerConstantContract(call)).toMatchObject({
    ran: true,
    reverted: false,
    energyUsed: 935n,
    constantResult: ['01'],
  })
  const message = Buffer.from('REVERT opcode executed').toString('hex')
  const transaction = { ret: [{ ret: 'FAILED' }] }
  node.answer(path, { json: { result: { result: true, message }, transaction } })
  expect(await client.triggerConstantContract(call)).toMatchObject({
    reverted: true,
    message: 'REVERT opcode executed',
  })
  const refusal = Buffer.from('No contract').toString('hex')
  node.answer(path, { json: { result: { code: 'CONTRACT_VALIDATE_ERROR', message: refusal } } })
  expect(await client.triggerConstantContract(call)).toEqual({
    ran: false,
    code: 'CONTRACT_VALIDATE_ERROR',
    message: 'No contract',
  })
})

test.each([
  "class org.tron.core.vm.program.Program$OutOfTimeException : CPU timeout for 'PUSH1' operation executing",
  'class java.lang.NullPointerException : null',
  '',
])('a constant call that fails with "%s" is trouble with the node', async (text) => {
  const { client } = testClient([node.url])
  const message = Buffer.from(text).toString('hex')
  const json = { result: { code: 'OTHER_ERROR', message } }
  node.answer('wallet/triggerconstantcontract', { json })
  await expect(client.triggerConstantContract(constantCall)).rejects.toMatchObject({
    kind: 'node_error',
    node: new URL(node.url).host,
  })
})

test('a node that runs no constant calls is trouble with the node, not with the contract', async () => {
  const { client } = testClient([node.url])
  const message = Buffer.from('this node does not support constant').toString('hex')
  const json = { result: { code: 'CONTRACT_VALIDATE_ERROR', message } }
  node.answer('wallet/triggerconstantcontract', { json })
  await expect(client.triggerConstantContract(constantCall)).rejects.toMatchObject({
    kind: 'not_served',
  })
})

test("a failure of the contract's code is an answer", async () => {
  const { client } = testClient([node.url])
  const text = 'class org.tron.core.vm.program.Program$OutOfEnergyException : Not enough energy'
  const message = Buffer.from(text).toString('hex')
  const json = { result: { code: 'OTHER_ERROR', message } }
  node.answer('wallet/triggerconstantcontract', { json })
  expect(await client.triggerConstantContract(constantCall)).toMatchObject({ ran: false })
})

test('a constant call is not believed of a node that syncs, not even of the only one', async () => {
  const { client } = testClient([node.url])
  node.answer('wallet/getblock', { json: blockJson(90, epoch - 30_001) })
  const json = { result: { result: true }, energy_used: 1 }
  node.answer('wallet/triggerconstantcontract', { json })
  await expect(client.triggerConstantContract(constantCall)).rejects.toMatchObject({
    kind: 'stale',
  })
})

test('a history of prices has one pair or many', async () => {
  const { client } = testClient([node.url])
  const pricesOf = async (prices: string) => {
    node.answer('wallet/getbandwidthprices', { json: { prices } })
    return client.getBandwidthPrices()
  }
  expect(await pricesOf('0:10')).toEqual([{ since: 0, sun: 10n }])
  expect(await pricesOf('0:10,1606240800000:40,1613044800000:1000')).toEqual([
    { since: 0, sun: 10n },
    { since: 1606240800000, sun: 40n },
    { since: 1613044800000, sun: 1000n },
  ])
  await expect(pricesOf('')).rejects.toMatchObject({ kind: 'malformed' })
  await expect(pricesOf('0:10:5')).rejects.toMatchObject({ kind: 'malformed' })
})

test('an account older than multi-signature, and a contract, have no permissions', async () => {
  const { client } = testClient([node.url])
  const old = { address, balance: 5, create_time: 1529892528000, latest_opration_time: 1 }
  node.answer('wallet/getaccount', { json: old })
  const none = { ownerPermission: undefined, activePermissions: [] }
  expect(await client.getAccount(address)).toMatchObject({ balance: 5n, ...none })
  node.answer('wallet/getaccount', { json: { address, type: 'Contract', asset_optimized: true } })
  expect(await client.getAccount(address)).toMatchObject({ isContract: true, ...none })
})

test('blocks come in order, and an answer about another block is malformed', async () => {
  const { client } = testClient([node.url])
  node.answer('wallet/getblockbylimitnext', { json: { block: [blockJson(5), blockJson(6)] } })
  expect((await client.getBlocksByLimitNext(5, 8)).map(({ number }) => number)).toEqual([5, 6])
  await expect(client.getBlocksByLimitNext(4, 8)).rejects.toMatchObject({ kind: 'malformed' })
  await expect(client.getBlocksByLimitNext(4, 105)).rejects.toThrow(RangeError)
  node.answer('wallet/getblockbynum', { json: blockJson(6) })
  expect((await client.getBlockByNum(6))?.number).toBe(6)
  await expect(client.getBlockByNum(7)).rejects.toMatchObject({ kind: 'malformed' })
  node.answer('walletsolidity/getnowblock', { json: blockJson(2) })
  expect((await client.getSolidBlock()).number).toBe(2)
})

test.each([
  [{ json: { Error: 'class java.lang.NullPointerException : null' } }, 'node_error'],
  [
    { json: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' } },
    'rate_limited',
  ],
  [{ text: 'this API is closed because this node is a lite fullnode' }, 'malformed'],
  [{ text: '"text"' }, 'malformed'],
  [{ json: { address: 'not hex' } }, 'malformed'],
  [{ json: { address, balance: '1.5' } }, 'malformed'],
  [{ status: 404 }, 'not_served'],
  [{ status: 405 }, 'not_served'],
  [{ status: 500 }, 'node_error'],
  [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'node_error'],
  [{ status: 502 }, 'unreachable'],
  [{ status: 403 }, 'rate_limited'],
  [{ status: 429 }, 'rate_limited'],
  [{ status: 503 }, 'rate_limited'],
  [{ drop: true }, 'unreachable'],
] as const)('%j is trouble of kind %s', async (answer, kind) => {
  node.answer('wallet/getaccount', answer)
  const { client, troubles } = testClient([node.url])
  await expect(client.getAccount(address)).rejects.toMatchObject({ name: 'NodeTrouble', kind })
  expect(troubles.map((trouble) => trouble.kind)).toEqual([kind])
})

test('an answer without end is cut off', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
  })
  const { client } = testClient([node.url], { post: async () => new Response(endless) })
  await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'malformed' })
})

test('the API key goes into the header and the address of the node stays out of troubles', async () => {
  node.answer('secret-path/wallet/getaccount', { status: 500 })
  const urls = [`${node.url}/secret-path/`]
  const { client } = testClient(urls, { apiKey: 'key-1' })
  await expect(client.getAccount(address)).rejects.not.toThrow(/secret-path/)
  expect(node.asked[0]?.headers['tron-pro-api-key']).toBe('key-1')
})
