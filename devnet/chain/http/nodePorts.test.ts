import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'
import { fundedKeys, usdtAddress } from '../networkKeys.ts'
import { sendAs } from '../sender.ts'

// The two ports of a node, and the trouble that a node can have.

type Json = Record<string, unknown>
const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]
let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, nodePorts: { full: 0, solidity: 0 } })
})
afterAll(() => devnet.close())
afterEach(() => devnet.faults.set({}))

const post = (base: string, path: string, body: object = {}) =>
  fetch(`${base}${path}`, { method: 'POST', body: JSON.stringify(body) })
const read = async (base: string, path: string, body: object = {}) =>
  (await (await post(base, path, body)).json()) as Json

test('each port has its own prefix, and neither has the devnet’s own paths', async () => {
  const { url, solidityUrl } = devnet.node!
  expect((await post(url, '/wallet/getnowblock')).status).toBe(200)
  expect((await post(solidityUrl, '/walletsolidity/getnowblock')).status).toBe(200)
  const strangers = [
    await post(url, '/walletsolidity/getnowblock'),
    await post(solidityUrl, '/wallet/getnowblock'),
    await post(url, '/control/mine'),
  ]
  for (const response of strangers) {
    expect(response.status).toBe(405)
    expect(response.headers.get('content-type')).toBe('text/html;charset=iso-8859-1')
    expect(await response.text()).toContain('Error 405 HTTP method POST is not supported')
  }
  expect((await fetch(`${url}/control/keys`)).status).toBe(404)
  expect((await post(devnet.url, '/walletsolidity/getnowblock')).status).toBe(200)
  expect((await post(devnet.url, '/wallet/getnowblock')).status).toBe(200)
})

test('the port of /wallet shows what is pending; the others and the receipts do not', async () => {
  const value = { owner_address: a.address, to_address: b.address, amount: 7_000_000n }
  const { url, solidityUrl } = devnet.node!
  const balance = async (base: string, prefix = 'wallet') =>
    (await read(base, `/${prefix}/getaccount`, { address: b.address })).balance as number
  const before = await balance(url)
  const txid = sendAs(devnet.chain, a.privateKey, { type: 'TransferContract', value })
  expect(await balance(url)).toBe(before + 7_000_000)
  expect(await balance(solidityUrl, 'walletsolidity')).toBe(before)
  expect(await balance(devnet.url)).toBe(before)
  const byId = await read(url, '/wallet/gettransactionbyid', { value: txid })
  expect(byId.ret).toEqual([{ contractRet: 'SUCCESS' }])
  expect(await read(url, '/wallet/gettransactioninfobyid', { value: txid })).toEqual({})
  expect(await read(devnet.url, '/wallet/gettransactionbyid', { value: txid })).toEqual({})
  devnet.chain.mine()
  expect(await balance(devnet.url)).toBe(before + 7_000_000)
})

const decimals = { owner_address: a.address, contract_address: usdtAddress, data: '313ce567' }

test('a constant call that runs out of time is OTHER_ERROR, as often as it was asked for', async () => {
  const { url } = devnet.node!
  devnet.faults.set({ constant_timeout: true, times: 2 })
  for (const path of ['triggerconstantcontract', 'estimateenergy']) {
    const { result } = await read(url, `/wallet/${path}`, { ...decimals, visible: false })
    const { code, message } = result as { code: string; message: string }
    expect(code).toBe('OTHER_ERROR')
    expect(Buffer.from(message, 'hex').toString()).toBe(
      "class org.tron.core.vm.program.Program$OutOfTimeException : CPU timeout for 'PUSH1' operation executing",
    )
  }
  const { result } = await read(url, '/wallet/triggerconstantcontract', decimals)
  expect(result).toEqual({ result: true })
})

test('a node that is syncing shows old blocks and takes no transactions; a busy one says so', async () => {
  const { url } = devnet.node!
  for (let i = 0; i < 30; i++) devnet.chain.mine()
  devnet.faults.set({ syncing_blocks: 25 })
  const head = await read(url, '/wallet/getnowblock')
  expect(head.blockID).toBe(devnet.chain.block(devnet.chain.head.number - 25)!.id)
  const transaction = await read(url, '/wallet/createtransaction', {
    owner_address: a.address,
    to_address: b.address,
    amount: 1,
  })
  const refused = async () =>
    (await read(url, '/wallet/broadcasttransaction', { ...transaction, signature: [] })).code
  expect(await refused()).toBe('NOT_ENOUGH_EFFECTIVE_CONNECTION')
  devnet.faults.set({ busy: true })
  expect(await refused()).toBe('SERVER_BUSY')
  devnet.faults.set({})
  expect(await refused()).toBe('SIGERROR')
})

test('getaccountbalance answers for the blocks whose state is kept', async () => {
  const { url } = devnet.node!
  const { number, id } = devnet.chain.head
  const ask = (block_identifier: object) =>
    read(url, '/wallet/getaccountbalance', {
      account_identifier: { address: a.address },
      block_identifier,
    })
  const { balance } = await read(url, '/wallet/getaccount', { address: a.address })
  expect(await ask({ hash: id, number })).toEqual({
    balance,
    block_identifier: { hash: id, number },
  })
  const sentence = 'class java.lang.IllegalArgumentException : number and hash do not match'
  expect(await ask({ hash: id, number: number - 1 })).toEqual({ Error: sentence })
})
