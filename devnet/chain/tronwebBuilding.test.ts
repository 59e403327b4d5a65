import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from './devnet.ts'

// TronWeb's calls that change a built transaction, and its rarer builders.

let devnet: Devnet
let tronWeb: TronWeb
let address: string
let other: string

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 0 })
  const [a, b] = devnet.chain.network.funded
  tronWeb = new TronWeb({ fullHost: devnet.url, privateKey: a!.privateKey })
  address = TronWeb.address.fromHex(a!.address)
  other = TronWeb.address.fromHex(b!.address)
})
afterAll(() => devnet.close())

async function settle(transaction: object) {
  const signed = await tronWeb.trx.sign(transaction as never)
  const { txid } = await tronWeb.trx.sendRawTransaction(signed as never)
  devnet.chain.mine()
  return tronWeb.trx.getTransactionInfo(txid)
}

test('a memo added and an expiration extended change the id and are taken', async () => {
  const built = await tronWeb.transactionBuilder.sendTrx(other, 10)
  const noted = await tronWeb.transactionBuilder.addUpdateData(built, 'invoice 7', 'utf8')
  const longer = await tronWeb.transactionBuilder.extendExpiration(noted, 600)
  expect(new Set([built.txID, noted.txID, longer.txID]).size).toBe(3)
  const info = await settle(longer)
  expect(info.id).toBe(longer.txID)
  expect(info.fee).toBe(1_000_000)
  const transaction = await tronWeb.trx.getTransaction(longer.txID)
  expect(transaction.raw_data.data).toBe(Buffer.from('invoice 7').toString('hex'))
})

test('createAccount activates an address', async () => {
  const fresh = TronWeb.fromMnemonic(
    'test test test test test test test test test test test junk',
    "m/44'/195'/7'/0/1",
  ).address
  expect(await tronWeb.trx.getAccount(fresh)).toEqual({})
  await settle(await tronWeb.transactionBuilder.createAccount(fresh, address))
  expect(await tronWeb.trx.getAccount(fresh)).toHaveProperty('create_time')
})

test('cancelUnfreezeBalanceV2 puts the stake back', async () => {
  const build = tronWeb.transactionBuilder
  await settle(await build.freezeBalanceV2(20_000_000, 'ENERGY'))
  await settle(await build.unfreezeBalanceV2(15_000_000, 'ENERGY'))
  const info = await settle(await build.cancelUnfreezeBalanceV2(address))
  expect(info).toMatchObject({
    cancel_unfreezeV2_amount: [
      { key: 'ENERGY', value: 15_000_000 },
      { key: 'TRON_POWER', value: 0 },
      { key: 'BANDWIDTH', value: 0 },
    ],
  })
  const account = await tronWeb.trx.getAccount(address)
  expect(account.frozenV2).toContainEqual({ type: 'ENERGY', amount: 20_000_000 })
})

test('getSignWeight and getApprovedList tell who has signed', async () => {
  const built = await tronWeb.transactionBuilder.sendTrx(other, 11)
  const unsigned = await tronWeb.trx.getSignWeight(built)
  expect(unsigned.result).toEqual({ code: 'NOT_ENOUGH_PERMISSION' })
  const signed = await tronWeb.trx.sign(built)
  const weight = await tronWeb.trx.getSignWeight(signed)
  expect(weight).toMatchObject({ current_weight: 1, result: {} })
  expect(weight.approved_list).toEqual([TronWeb.address.toHex(address)])
  const approved = await tronWeb.trx.getApprovedList(signed)
  expect(approved.approved_list).toEqual([TronWeb.address.toHex(address)])
})

test('a payable call forwards its TRX by an internal transaction', async () => {
  const contract = await tronWeb
    .contract()
    .at(TronWeb.address.fromHex(devnet.chain.network.splitter))
  const before = await tronWeb.trx.getBalance(other)
  const txid = await contract.pay(other).send({ callValue: 2_000_000, feeLimit: 50_000_000 })
  devnet.chain.mine()
  const info = await tronWeb.trx.getTransactionInfo(txid)
  expect(info.receipt.result).toBe('SUCCESS')
  expect(info.internal_transactions).toHaveLength(1)
  expect(await tronWeb.trx.getBalance(other)).toBe(before + 2_000_000)
})

test('a method the token does not have is built as asked and reverts', async () => {
  const usdt = TronWeb.address.fromHex(devnet.chain.network.usdt)
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    usdt,
    'mint(address,uint256)',
    { feeLimit: 50_000_000 },
    [
      { type: 'address', value: other },
      { type: 'uint256', value: 1 },
    ],
    address,
  )
  const info = await settle(transaction)
  expect(info.receipt.result).toBe('REVERT')
})
