import { readFileSync } from 'node:fs'
import { addressOfPrivateKey, type Contract, parseJson, sign, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressWord, word } from '../contracts/builtIn.ts'
import { type Devnet, startDevnet } from '../devnet.ts'
import { fundedKeys, splitterAddress, usdtAddress } from '../networkKeys.ts'
import { sendAs } from '../sender.ts'

// tron.md 1.2: requests, responses and omitted fields, without TronWeb.

type Json = Record<string, unknown>

let devnet: Devnet
let usdtTx: string
const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]
const hex = { a: a.address, b: b.address }
const base58 = { a: toBase58(a.address), b: toBase58(b.address) }

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 2 })
  const { chain } = devnet
  const own = { owner_address: a.address }
  const send = (contract: Contract) => {
    const txid = sendAs(chain, a.privateKey, contract, { feeLimit: 100_000_000n })
    chain.mine()
    return txid
  }
  send({
    type: 'FreezeBalanceV2Contract',
    value: { ...own, frozen_balance: 100_000_000_000n, resource: 'ENERGY' },
  })
  send({
    type: 'DelegateResourceContract',
    value: { ...own, receiver_address: b.address, balance: 5_000_000n, resource: 'ENERGY' },
  })
  usdtTx = send({
    type: 'TriggerSmartContract',
    value: {
      ...own,
      contract_address: usdtAddress,
      data: `a9059cbb${addressWord(b.address)}${word(9n)}`,
    },
  })
  for (let i = 0; i < 3; i++) chain.mine()
})
afterAll(() => devnet.close())

async function post(path: string, body: unknown): Promise<Json> {
  const response = await fetch(devnet.url + path, { method: 'POST', body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return parseJson(await response.text()) as Json
}

async function get(path: string): Promise<Json> {
  return parseJson(await (await fetch(devnet.url + path)).text()) as Json
}

describe('GET and POST say the same, hex and base58', () => {
  test.each([
    ['getaccount', 'address'],
    ['getaccountresource', 'address'],
    ['getaccountnet', 'address'],
    ['getdelegatedresourceaccountindexv2', 'value'],
  ])('%s', async (path, name) => {
    const plain = await post(`/wallet/${path}`, { [name]: hex.a })
    expect(plain).not.toEqual({})
    expect(await get(`/wallet/${path}?${name}=${hex.a}`)).toEqual(plain)
    const visible = await post(`/wallet/${path}`, { [name]: base58.a, visible: true })
    expect(await get(`/wallet/${path}?${name}=${base58.a}&visible=true`)).toEqual(visible)
    expect(JSON.stringify(visible)).not.toContain(hex.a)
  })

  test('a form-encoded body is read like JSON, and an empty one where nothing is asked', async () => {
    const form = await fetch(`${devnet.url}/wallet/getaccountresource`, {
      method: 'POST',
      body: new URLSearchParams({ address: hex.a }),
    })
    expect(await form.json()).toEqual(await get(`/wallet/getaccountresource?address=${hex.a}`))
    const empty = await fetch(`${devnet.url}/wallet/getchainparameters`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(await empty.json()).toHaveProperty('chainParameter')
  })
})

describe('blocks', () => {
  test('getblock: header only without detail, number or id as a string, and its own errors', async () => {
    const head = devnet.chain.head.number
    const header = await post('/wallet/getblock', { detail: false })
    expect(Object.keys(header)).toEqual(['blockID', 'block_header'])
    const full = await post('/wallet/getblock', { id_or_num: '4', detail: true })
    expect(full.transactions).toHaveLength(1)
    expect(await post('/wallet/getblock', { id_or_num: full.blockID, detail: true })).toEqual(full)
    expect(await post('/wallet/getblock', { id_or_num: String(head + 1) })).toEqual({})
    expect(await post('/wallet/getblock', { id_or_num: 'xyz' })).toEqual({
      Error: 'id must be legal block hash.',
    })
    expect(await post('/wallet/getblock', { id_or_num: '-1' })).toEqual({
      Error: 'num must be non-positive number.',
    })
  })

  test('genesis prints no number, an empty block prints no transactions but its zero root', async () => {
    const genesis = await post('/wallet/getblockbynum', { num: 0 })
    const { raw_data } = genesis.block_header as { raw_data: Json }
    expect(raw_data).not.toHaveProperty('number')
    const head = await post('/wallet/getnowblock', {})
    expect(head).not.toHaveProperty('transactions')
    expect((head.block_header as { raw_data: Json }).raw_data.txTrieRoot).toBe('0'.repeat(64))
  })

  test('ranges: end exclusive, at most 100, and illegal ones are {}', async () => {
    const range = async (startNum: number, endNum: number) =>
      ((await post('/wallet/getblockbylimitnext', { startNum, endNum })).block as Json[]) ?? []
    expect(await range(1, 4)).toHaveLength(3)
    expect(await range(1, 102)).toHaveLength(0)
    expect(await range(4, 4)).toHaveLength(0)
    expect(await range(-1, 4)).toHaveLength(0)
    const latest = await post('/wallet/getblockbylatestnum', { num: 2 })
    expect(latest.block).toHaveLength(2)
    expect(await post('/wallet/getblockbylatestnum', { num: 100 })).toEqual({})
  })

  test('walletsolidity ends at the solid block', async () => {
    const { head, solidNumber } = devnet.chain
    const solid = await get('/walletsolidity/getnowblock')
    expect(solid.blockID).toBe(devnet.chain.block(solidNumber)!.id)
    expect(await post('/walletsolidity/getblockbynum', { num: head.number })).toEqual({})
    expect(await post('/walletsolidity/getblockbyid', { value: head.id })).toEqual({})
    expect((await get('/walletsolidity/getnodeinfo')).solidityBlock).toBe(
      `Num:${solidNumber},ID:${solid.blockID}`,
    )
  })

  test('walletsolidity has no builders, no broadcast, no getaccountresource', async () => {
    for (const path of ['createtransaction', 'broadcasttransaction', 'getaccountresource']) {
      const response = await fetch(`${devnet.url}/walletsolidity/${path}`, { method: 'POST' })
      expect(response.status).toBe(405)
    }
  })
})

describe('transactions and receipts', () => {
  test('infos of a block are a list in block order, [] when empty, {} below 1', async () => {
    const { blockNumber } = await post('/wallet/gettransactioninfobyid', { value: usdtTx })
    const infos = (num: unknown) => post('/wallet/gettransactioninfobyblocknum', { num })
    expect(await infos(blockNumber)).toMatchObject([{ id: usdtTx }])
    expect(await infos(devnet.chain.head.number)).toEqual([])
    expect(await infos(10_000)).toEqual([])
    expect(await infos(0)).toEqual({})
    const count = await post('/wallet/gettransactioncountbyblocknum', { num: blockNumber })
    expect(count).toEqual({ count: 1 })
  })

  test('visible turns the addresses of a receipt into base58, log addresses with their 41', async () => {
    const plain = await post('/wallet/gettransactioninfobyid', { value: usdtTx })
    const shown = await post('/wallet/gettransactioninfobyid', { value: usdtTx, visible: true })
    expect(plain.contract_address).toBe(usdtAddress)
    expect((plain.log as Json[])[0]!.address).toBe(usdtAddress.slice(2))
    expect(shown.contract_address).toBe(toBase58(usdtAddress))
    expect((shown.log as Json[])[0]!.address).toBe(toBase58(usdtAddress))
    expect((shown.log as Json[])[0]!.topics).toEqual((plain.log as Json[])[0]!.topics)
  })

  test('a transaction in the pool has no info; the pool shows it', async () => {
    const value = { owner_address: a.address, to_address: b.address, amount: 3n }
    const txid = sendAs(devnet.chain, a.privateKey, { type: 'TransferContract', value })
    expect(await get('/wallet/getpendingsize')).toEqual({ pendingSize: 1 })
    expect(await get('/wallet/gettransactionlistfrompending')).toEqual({ txId: [txid] })
    const pending = await post('/wallet/gettransactionfrompending', { value: txid })
    expect(pending.txID).toBe(txid)
    expect(pending.ret).toEqual([{ contractRet: 'SUCCESS' }])
    expect(await post('/wallet/gettransactionbyid', { value: txid })).toEqual({})
    expect(await post('/wallet/gettransactioninfobyid', { value: txid })).toEqual({})
    devnet.chain.mine()
    const transaction = await post('/wallet/gettransactionbyid', { value: txid, visible: true })
    expect(transaction.ret).toEqual([{ contractRet: 'SUCCESS' }])
    expect(JSON.stringify(transaction.raw_data)).toContain(base58.b)
  })

  test('server-built transactions: TAPOS of the solid block, 60 s, and they can be sent', async () => {
    const order = { owner_address: base58.a, to_address: base58.b, amount: 4, visible: true }
    const built = await post('/wallet/createtransaction', { ...order, extra_data: 'hi' })
    const { chain } = devnet
    expect(built.visible).toBe(true)
    expect(built.raw_data).toMatchObject({
      ref_block_hash: chain.block(chain.solidNumber)!.id.slice(16, 32),
      expiration: chain.head.timestamp + 60_000,
      data: '6869',
    })
    const signature = [sign(built.txID as string, a.privateKey)]
    // txID and raw_data_hex are ignored.
    const sent = { ...built, signature, txID: '00', raw_data_hex: 'nonsense' }
    expect(await post('/wallet/broadcasttransaction', sent)).toEqual({
      result: true,
      txid: built.txID,
    })
    const again = await post('/wallet/broadcasttransaction', { ...sent, visible: false })
    expect(again).toEqual({
      code: 'DUP_TRANSACTION_ERROR',
      txid: built.txID,
      message: Buffer.from('Dup transaction.').toString('hex'),
    })
    const shown = await post('/wallet/broadcasttransaction', sent)
    expect(shown.message).toBe('Dup transaction.')
  })

  test('a builder refuses with the actuator’s sentence', async () => {
    const order = { owner_address: hex.a, receiver_address: hex.b, balance: 5, resource: 'ENERGY' }
    expect(await post('/wallet/delegateresource', order)).toEqual({
      Error:
        'class org.tron.core.exception.ContractValidateException : ' +
        'delegateBalance must be greater than or equal to 1 TRX',
    })
    // Enum names are case-sensitive; a number works too.
    const lower = await post('/wallet/delegateresource', { ...order, resource: 'energy' })
    expect(lower.Error).toContain('JsonFormat$ParseException')
    const numbered = { ...order, balance: 1_000_000, resource: 1, lock: true, lock_period: 100 }
    expect(await post('/wallet/delegateresource', numbered)).toHaveProperty('raw_data_hex')
  })

  test.each([
    ['createaccount', { account_address: `41${'31'.repeat(20)}` }],
    ['freezebalancev2', { frozen_balance: 1_000_000, resource: 'BANDWIDTH' }],
    ['unfreezebalancev2', { unfreeze_balance: 1_000_000, resource: 'ENERGY' }],
    ['undelegateresource', { receiver_address: b.address, balance: 1, resource: 'ENERGY' }],
    [
      'accountpermissionupdate',
      {
        owner: { type: 0, threshold: 1, keys: [{ address: a.address, weight: 1 }] },
        actives: [
          {
            type: 2,
            threshold: 1,
            operations: '0000000000000006'.padEnd(64, '0'),
            keys: [{ address: b.address, weight: 1 }],
          },
        ],
      },
    ],
  ])('%s builds', async (path, more) => {
    const built = await post(`/wallet/${path}`, { owner_address: hex.a, ...more })
    expect(built).toHaveProperty('txID')
    expect(built.visible).toBe(false)
  })
})

describe('contracts', () => {
  const call = {
    owner_address: hex.a,
    contract_address: usdtAddress,
    function_selector: 'transfer(address,uint256)',
  }
  const to = (address: string, amount: bigint) => addressWord(address) + word(amount)

  test('triggerconstantcontract: the exact energy, and a revert is not an error', async () => {
    const worked = await post('/wallet/triggerconstantcontract', {
      ...call,
      parameter: to(hex.b, 1n),
    })
    expect(worked).toMatchObject({
      result: { result: true },
      energy_used: 64_285,
      energy_penalty: 49_635,
      constant_result: ['0'.repeat(64)],
      transaction: { ret: [{}] },
    })
    const reverted = await post('/wallet/triggerconstantcontract', {
      ...call,
      parameter: to(hex.b, 10n ** 18n),
    })
    expect(reverted).toMatchObject({
      result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
      constant_result: [''],
      transaction: { ret: [{ ret: 'FAILED' }] },
    })
  })

  test('a view method through triggersmartcontract is run, not built', async () => {
    const balance = await post('/wallet/triggersmartcontract', {
      ...call,
      function_selector: 'balanceOf(address)',
      parameter: addressWord(hex.b),
    })
    expect(balance.constant_result).toEqual([word(1_000_000_000_009n)])
  })

  test('an unknown contract, and a missing owner, in the form of the trigger endpoints', async () => {
    const text = (json: Json) => {
      const { code, message } = json.result as { code: string; message: string }
      return [code, Buffer.from(message, 'hex').toString()]
    }
    const elsewhere = { ...call, contract_address: `41${'12'.repeat(20)}`, parameter: '' }
    expect(text(await post('/wallet/triggersmartcontract', elsewhere))).toEqual([
      'CONTRACT_VALIDATE_ERROR',
      'No contract or not a valid smart contract',
    ])
    expect(text(await post('/wallet/triggerconstantcontract', elsewhere))).toEqual([
      'CONTRACT_VALIDATE_ERROR',
      'Smart contract is not exist.',
    ])
    expect(text(await post('/wallet/estimateenergy', { contract_address: usdtAddress }))).toEqual([
      'OTHER_ERROR',
      "class java.security.InvalidParameterException : owner_address isn't set.",
    ])
  })

  test('getcontract: abi with capitalised words; {} for an account', async () => {
    const contract = await post('/wallet/getcontract', { value: usdtAddress })
    expect(contract).toMatchObject({ name: 'TetherToken', contract_address: usdtAddress })
    const { entrys } = contract.abi as { entrys: Json[] }
    expect(entrys.map(({ name }) => name)).toContain('transferFrom')
    expect(await post('/wallet/getcontract', { value: hex.a })).toEqual({})
    expect(await post('/wallet/getcontractinfo', { value: splitterAddress })).toHaveProperty(
      'smart_contract.name',
      'Splitter',
    )
  })
})

describe('accounts', () => {
  test('an address nobody activated is {}, everywhere', async () => {
    const stranger = addressOfPrivateKey('33'.repeat(32))
    for (const path of ['getaccount', 'getaccountresource', 'getaccountnet']) {
      expect(await post(`/wallet/${path}`, { address: stranger })).toEqual({})
    }
    expect(
      await post('/wallet/getdelegatedresourcev2', { fromAddress: hex.b, toAddress: hex.a }),
    ).toEqual({})
    expect(
      await post('/wallet/getcandelegatedmaxsize', { owner_address: stranger, type: 1 }),
    ).toEqual({})
  })

  test('getaccount: three frozenV2 items, default permissions, no zeros', async () => {
    const account = await post('/wallet/getaccount', { address: hex.b, visible: false })
    expect(account.frozenV2).toEqual([{}, { type: 'ENERGY' }, { type: 'TRON_POWER' }])
    expect(account).not.toHaveProperty('type')
    expect(account.account_resource).toMatchObject({
      acquired_delegated_frozenV2_balance_for_energy: 5_000_000,
      energy_window_size: 28_800_000,
      energy_window_optimized: true,
    })
    expect(account.active_permission).toMatchObject([
      { type: 'Active', id: 2, operations: '7fff1fc0033efb0f'.padEnd(64, '0') },
    ])
    expect(JSON.stringify(account)).not.toMatch(/:0[,}]/)
  })

  test('getcandelegatedmaxsize is exactly what delegateresource builds', async () => {
    const own = { owner_address: hex.a }
    const stake = { ...own, frozen_balance: 7_000_000_000n, resource: 'BANDWIDTH' as const }
    sendAs(devnet.chain, a.privateKey, { type: 'FreezeBalanceV2Contract', value: stake })
    devnet.chain.mine()
    for (const [type, resource] of [
      [0, 'BANDWIDTH'],
      [1, 'ENERGY'],
    ] as const) {
      const size = await post('/wallet/getcandelegatedmaxsize', { ...own, type })
      const order = { ...own, receiver_address: hex.b, resource }
      const most = Number(size.max_size)
      expect(most).toBeGreaterThan(1_000_000_000)
      const built = await post('/wallet/delegateresource', { ...order, balance: most })
      expect(built).toHaveProperty('txID')
      const refused = await post('/wallet/delegateresource', { ...order, balance: most + 1 })
      expect(refused.Error).toContain('must be less than or equal to available')
    }
  })

  test('validateaddress tells the format', async () => {
    const verdict = (address: string) => post('/wallet/validateaddress', { address })
    expect(await verdict(base58.a)).toEqual({ result: true, message: 'Base58check format' })
    expect(await verdict(hex.a)).toEqual({ result: true, message: 'Hex string format' })
    expect(await verdict(`${base58.a.slice(0, -1)}1`)).toEqual({
      result: false,
      message: 'Invalid address',
    })
    expect(await verdict('T')).toEqual({ result: false, message: 'Length error' })
  })
})

test('getchainparameters prints every key of a node, in its order, and no zero values', async () => {
  const keys = readFileSync(
    new URL('../../vectors/chain-parameter-keys.txt', import.meta.url),
    'utf8',
  )
  const { chainParameter } = (await get('/wallet/getchainparameters')) as {
    chainParameter: { key: string; value?: number }[]
  }
  expect(chainParameter.map(({ key }) => key)).toEqual(keys.trim().split('\n'))
  expect(chainParameter.some(({ value }) => value === 0)).toBe(false)
  expect(await get('/wallet/getenergyprices')).toEqual({ prices: '0:100' })
  expect(await get('/wallet/getburntrx')).toHaveProperty('burnTrxAmount')
  expect(await get('/wallet/listwitnesses')).toHaveProperty('witnesses')
})
