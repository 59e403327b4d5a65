import { createRequire } from 'node:module'
import { TronWeb as TronWeb6 } from 'tronweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'

// Ordinary use of the library that most clients have, in both versions that are in use: against the
// port that answers everything, and against the two ports of a node.

type Library = typeof TronWeb6
// Version 5 brings no types; what is used here is the same in both.
const require = createRequire(import.meta.url)
const TronWeb5 = require('tronweb5') as Library

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({
    blockMs: 0,
    solidLag: 1,
    nodePorts: { full: 0, solidity: 0 },
  })
})
afterAll(() => devnet.close())

const ports = {
  'one port': () => ({ fullHost: devnet.url }),
  'two ports': () => ({
    fullNode: devnet.node!.url,
    solidityNode: devnet.node!.solidityUrl,
    eventServer: devnet.url,
  }),
}

const uses = [
  ['TronWeb 6', TronWeb6, 'one port', 0],
  ['TronWeb 6', TronWeb6, 'two ports', 2],
  ['TronWeb 5', TronWeb5, 'one port', 4],
  ['TronWeb 5', TronWeb5, 'two ports', 6],
] as const

describe.each(uses)('%s', (_, TronWeb, port, index) => {
  let tronWeb: TronWeb6
  let own: string
  let other: string

  beforeAll(() => {
    const [mine, theirs] = devnet.chain.network.funded.slice(index, index + 2)
    tronWeb = new TronWeb({ ...ports[port](), privateKey: mine!.privateKey } as never)
    own = tronWeb.address.fromHex(mine!.address)
    other = tronWeb.address.fromHex(theirs!.address)
  })

  const mine = (blocks = 1) => {
    for (let i = 0; i < blocks; i++) devnet.chain.mine()
  }

  async function settle(transaction: unknown): Promise<Record<string, unknown>> {
    const signed = await tronWeb.trx.sign(transaction as never)
    const answer = await tronWeb.trx.sendRawTransaction(signed as never)
    expect(answer).toMatchObject({ result: true })
    mine(2)
    const { txID } = signed as { txID: string }
    return (await tronWeb.trx.getTransactionInfo(txID)) as never
  }

  test(`${port}: is connected, reads blocks and parameters`, async () => {
    expect(await tronWeb.isConnected()).toEqual({
      fullNode: true,
      solidityNode: true,
      eventServer: true,
    })
    const head = await tronWeb.trx.getCurrentBlock()
    expect(head.blockID).toBe(devnet.chain.head.id)
    const block = await tronWeb.trx.getBlock(head.block_header.raw_data.number)
    expect(block.blockID).toBe(head.blockID)
    const parameters = await tronWeb.trx.getChainParameters()
    expect(parameters).toContainEqual({ key: 'getEnergyFee', value: 100 })
  })

  test(`${port}: sends TRX and reads the transaction back`, async () => {
    mine(2)
    const before = await tronWeb.trx.getBalance(other)
    const info = await settle(await tronWeb.transactionBuilder.sendTrx(other, 3_000_000, own))
    expect(info.receipt).toHaveProperty('net_usage')
    expect(await tronWeb.trx.getBalance(other)).toBe(before + 3_000_000)
    const transaction = await tronWeb.trx.getTransaction(String(info.id))
    expect(transaction.ret).toEqual([{ contractRet: 'SUCCESS' }])
  })

  test(`${port}: stakes, delegates, votes, takes back, unstakes, and cancels`, async () => {
    const build = tronWeb.transactionBuilder
    await settle(await build.freezeBalanceV2(200_000_000, 'ENERGY', own))
    await settle(await build.delegateResource(50_000_000, other, 'ENERGY', own))
    const { delegatedResource } = await tronWeb.trx.getDelegatedResourceV2(own, other)
    expect(delegatedResource).toMatchObject([{ frozen_balance_for_energy: 50_000_000 }])
    const witness = tronWeb.address.fromHex(devnet.chain.network.witness.address)
    await settle(await build.vote({ [witness]: 150 }, own))
    const account = (await tronWeb.trx.getAccount(own)) as { votes?: unknown[] }
    expect(account.votes).toHaveLength(1)
    expect(await tronWeb.trx.getReward(own)).toBe(0)
    await settle(await build.undelegateResource(50_000_000, other, 'ENERGY', own))
    await settle(await build.unfreezeBalanceV2(60_000_000, 'ENERGY', own))
    expect(await tronWeb.trx.getAvailableUnfreezeCount(own)).toEqual({ count: 31 })
    const info = await settle(await build.cancelUnfreezeBalanceV2(own))
    expect(info.cancel_unfreezeV2_amount).toContainEqual({ key: 'ENERGY', value: 60_000_000 })
    const { tronPowerLimit, EnergyLimit } = await tronWeb.trx.getAccountResources(own)
    expect([tronPowerLimit, EnergyLimit > 0]).toEqual([200, true])
  })

  test(`${port}: uses a token through its ABI`, async () => {
    const usdt = tronWeb.address.fromHex(devnet.chain.network.usdt)
    const contract = await tronWeb.contract().at(usdt)
    const held = async () => BigInt((await contract.balanceOf!(other).call()).toString())
    const before = await held()
    const txid = await contract.transfer!(other, 25).send({ feeLimit: 100_000_000 })
    mine(2)
    const info = await tronWeb.trx.getTransactionInfo(txid)
    expect(info.receipt.result).toBe('SUCCESS')
    expect(await held()).toBe(before + 25n)
    const parameter = [
      { type: 'address', value: other },
      { type: 'uint256', value: 1 },
    ]
    const { energy_used } = await tronWeb.transactionBuilder.triggerConstantContract(
      usdt,
      'transfer(address,uint256)',
      {},
      parameter,
      own,
    )
    expect(energy_used).toBe(64_285)
  })

  test(`${port}: deploys a contract`, async () => {
    const transaction = await tronWeb.transactionBuilder.createSmartContract(
      {
        abi: [
          { type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'nonpayable' },
        ] as never,
        bytecode: '6080604052',
        feeLimit: 100_000_000,
        name: 'Small',
      },
      own,
    )
    const info = await settle(transaction)
    const contract = await tronWeb.trx.getContract(String(info.contract_address))
    expect(contract.name).toBe('Small')
  })

  test(`${port}: hears why a transaction is refused`, async () => {
    const build = tronWeb.transactionBuilder
    const signed = await tronWeb.trx.sign(await build.sendTrx(other, 1_000_000, own))
    const first = await tronWeb.trx.sendRawTransaction(signed)
    expect(first.result).toBe(true)
    const again = await tronWeb.trx.sendRawTransaction(signed)
    expect(again.code).toBe('DUP_TRANSACTION_ERROR')
    mine()
    const balance = await tronWeb.trx.getUnconfirmedBalance(own)
    const much = await tronWeb.trx.sign(await build.sendTrx(other, balance + 1, own))
    const refused = await tronWeb.trx.sendRawTransaction(much)
    expect(refused.code).toBe('CONTRACT_VALIDATE_ERROR')
  })
})
