import { TronWeb, utils } from 'tronweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from './devnet.ts'
import { mnemonic } from './networkKeys.ts'

// TronWeb 6.5, unmodified, cannot distinguish this chain from a node.

let devnet: Devnet
const base58 = (hex: string) => TronWeb.address.fromHex(hex)

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 2 })
})
afterAll(() => devnet.close())

function wallet(index: number) {
  const { privateKey, address } = devnet.chain.network.funded[index]!
  const tronWeb = new TronWeb({ fullHost: devnet.url, privateKey })
  return { tronWeb, address: base58(address), privateKey }
}

function mine(blocks = 1) {
  for (let i = 0; i < blocks; i++) devnet.chain.mine()
}

type Signable = Parameters<TronWeb['trx']['sign']>[0]

async function send({ tronWeb }: { tronWeb: TronWeb }, transaction: unknown): Promise<string> {
  const signed = await tronWeb.trx.sign(transaction as Signable & object)
  const answer = await tronWeb.trx.sendRawTransaction(signed as never)
  expect(answer).not.toHaveProperty('code')
  expect(answer.result).toBe(true)
  return (signed as { txID: string }).txID
}

async function refusal(tronWeb: TronWeb, signed: unknown) {
  const answer = await tronWeb.trx.sendRawTransaction(signed as never)
  return { code: answer.code, message: tronWeb.toUtf8(answer.message) }
}

test('isConnected: full node, solidity node and event server', async () => {
  expect(await wallet(0).tronWeb.isConnected()).toEqual({
    fullNode: true,
    solidityNode: true,
    eventServer: true,
  })
})

test('sendTrx: the amount arrives, and the receipt is a plain transfer’s', async () => {
  const [a, b] = [wallet(0), wallet(1)]
  const before = await b.tronWeb.trx.getUnconfirmedBalance(b.address)
  const txid = await send(a, await a.tronWeb.transactionBuilder.sendTrx(b.address, 5_000_000))
  expect(await a.tronWeb.trx.getUnconfirmedTransactionInfo(txid)).toEqual({})
  mine()
  expect(await b.tronWeb.trx.getUnconfirmedBalance(b.address)).toBe(before + 5_000_000)
  // Not solid yet: the solidity API still has the old balance and no receipt.
  expect(await b.tronWeb.trx.getBalance(b.address)).toBe(before)
  expect(await a.tronWeb.trx.getTransactionInfo(txid)).toEqual({})
  mine(2)
  expect(await b.tronWeb.trx.getBalance(b.address)).toBe(before + 5_000_000)
  const info = await a.tronWeb.trx.getTransactionInfo(txid)
  expect(info).toMatchObject({ id: txid, contractResult: [''], receipt: { net_usage: 268 } })
  expect(Object.keys(info.receipt)).toEqual(['net_usage'])
  const transaction = await a.tronWeb.trx.getTransaction(txid)
  expect(transaction.ret).toEqual([{ contractRet: 'SUCCESS' }])
  expect(transaction.txID).toBe(txid)
})

test('stake, delegate, undelegate: every figure TronWeb reads moves by the amount', async () => {
  const [a, c] = [wallet(0), wallet(2)]
  const build = a.tronWeb.transactionBuilder
  await send(a, await build.freezeBalanceV2(300_000_000_000, 'ENERGY'))
  mine()
  await send(a, await build.delegateResource(70_000_000_000, c.address, 'ENERGY', a.address))
  mine(3)
  const resources = await a.tronWeb.trx.getAccountResources(c.address)
  const perTrx = resources.TotalEnergyLimit / resources.TotalEnergyWeight
  expect(resources.EnergyLimit).toBe(Math.trunc(70_000 * perTrx))
  expect(resources).not.toHaveProperty('EnergyUsed')
  expect(await a.tronWeb.trx.getDelegatedResourceV2(a.address, c.address)).toEqual({
    delegatedResource: [
      {
        from: TronWeb.address.toHex(a.address),
        to: TronWeb.address.toHex(c.address),
        frozen_balance_for_energy: 70_000_000_000,
      },
    ],
  })
  expect(await a.tronWeb.trx.getCanDelegatedMaxSize(a.address, 'ENERGY')).toEqual({
    max_size: 230_000_000_000,
  })
  const index = await a.tronWeb.trx.getDelegatedResourceAccountIndexV2(a.address)
  expect(index).toMatchObject({ toAccounts: [TronWeb.address.toHex(c.address)] })

  await send(a, await build.undelegateResource(70_000_000_000, c.address, 'ENERGY', a.address))
  mine(3)
  expect(await a.tronWeb.trx.getAccountResources(c.address)).not.toHaveProperty('EnergyLimit')
  expect(await a.tronWeb.trx.getDelegatedResourceV2(a.address, c.address)).toEqual({})
  expect(await a.tronWeb.trx.getCanDelegatedMaxSize(a.address, 'ENERGY')).toEqual({
    max_size: 300_000_000_000,
  })
})

test('a locked delegation cannot be taken back before its time, and can after it', async () => {
  const [a, d] = [wallet(0), wallet(3)]
  const build = a.tronWeb.transactionBuilder
  await send(a, await build.delegateResource(2_000_000, d.address, 'ENERGY', a.address, true, 1200))
  mine(3)
  const head = devnet.chain.head.timestamp
  const { delegatedResource } = await a.tronWeb.trx.getDelegatedResourceV2(a.address, d.address)
  const expiry = delegatedResource[0]!.expire_time_for_energy
  expect(expiry).toBeGreaterThan(head + 3_500_000)
  expect(expiry).toBeLessThanOrEqual(head + 3_600_000)

  const early = await build.undelegateResource(2_000_000, d.address, 'ENERGY', a.address)
  expect(await refusal(a.tronWeb, await a.tronWeb.trx.sign(early))).toEqual({
    code: 'CONTRACT_VALIDATE_ERROR',
    message:
      'Contract validate error : insufficient delegateFrozenBalance(Energy), ' +
      'request=2000000, unlock_balance=0',
  })
  devnet.chain.clock.advance(3_601_000)
  mine(1)
  await send(a, await build.undelegateResource(2_000_000, d.address, 'ENERGY', a.address))
  mine(3)
  expect(await a.tronWeb.trx.getDelegatedResourceV2(a.address, d.address)).toEqual({})
})

test('contract().at(usdt): reads, and transfer().send with polling', async () => {
  const [a, b] = [wallet(0), wallet(1)]
  const usdt = await a.tronWeb.contract().at(base58(devnet.chain.network.usdt))
  expect(await usdt.symbol().call()).toBe('USDT')
  expect(await usdt.name().call()).toBe('Tether USD')
  expect(await usdt.decimals().call()).toBe(6n)
  expect(await usdt.totalSupply().call()).toBe(10_000_000_000_000n)
  const before = await usdt.balanceOf(b.address).call()
  const sent = usdt.transfer(b.address, 1_234_567).send({
    feeLimit: 100_000_000,
    shouldPollResponse: true,
    rawResponse: true,
  })
  await waitFor(() => devnet.chain.pool.size > 0)
  mine(3)
  const info = await sent
  expect(info.receipt.result).toBe('SUCCESS')
  expect(info.receipt.energy_usage_total).toBe(64_285)
  expect(info.log).toHaveLength(1)
  expect(await usdt.balanceOf(b.address).call()).toBe(before + 1_234_567n)

  await usdt.approve(b.address, 500).send({ feeLimit: 100_000_000 })
  mine()
  expect(await usdt.allowance(a.address, b.address).call()).toBe(500n)
  const spender = await b.tronWeb.contract().at(base58(devnet.chain.network.usdt))
  await spender.transferFrom(a.address, b.address, 200).send({ feeLimit: 100_000_000 })
  mine()
  expect(await usdt.allowance(a.address, b.address).call()).toBe(300n)
})

test('a failing transfer().send says what the receipt says', async () => {
  const a = wallet(4)
  const usdt = await a.tronWeb.contract().at(base58(devnet.chain.network.usdt))
  const sent = usdt
    .transfer(wallet(5).address, 10n ** 18n)
    .send({ feeLimit: 100_000_000, shouldPollResponse: true })
    .catch((error: Error) => error)
  await waitFor(() => devnet.chain.pool.size > 0)
  mine(3)
  expect(await sent).toMatchObject({ error: 'REVERT opcode executed' })
})

test('triggerConstantContract gives the class of the recipient, estimateEnergy more, as a node does', async () => {
  const a = wallet(0)
  const nobody = TronWeb.fromMnemonic(mnemonic, "m/44'/195'/5'/0/77").address
  const cost = async (to: string) => {
    const parameters = [
      { type: 'address', value: to },
      { type: 'uint256', value: 1 },
    ]
    const usdt = base58(devnet.chain.network.usdt)
    const call = ['transfer(address,uint256)', {}, parameters, a.address] as const
    const build = a.tronWeb.transactionBuilder
    const estimate = await build.estimateEnergy(usdt, ...call)
    const constant = await build.triggerConstantContract(usdt, ...call)
    return [estimate.energy_required, constant.energy_used]
  }
  expect(await cost(wallet(1).address)).toEqual([72_321, 64_285])
  expect(await cost(nobody)).toEqual([138_428, 130_285])
})

describe('an active permission limited to delegate and undelegate (57 and 58)', () => {
  const operations = `0000000000000006${'0'.repeat(48)}`

  test('multiSign by that key delegates; a transfer by it is refused', async () => {
    const [owner, hot, receiver] = [wallet(6), wallet(7), wallet(8)]
    const { transactionBuilder: build, trx } = owner.tronWeb
    await send(owner, await build.freezeBalanceV2(100_000_000, 'ENERGY'))
    mine()
    const keys = (address: string) => [{ address, weight: 1 }]
    const update = await build.updateAccountPermissions(
      owner.address,
      { type: 0, permission_name: 'owner', threshold: 1, keys: keys(owner.address) },
      null as never,
      [{ type: 2, permission_name: 'hot', threshold: 1, operations, keys: keys(hot.address) }],
    )
    await send(owner, update)
    mine()
    const account = await trx.getUnconfirmedAccount(owner.address)
    expect(account.active_permission).toMatchObject([{ type: 'Active', id: 2, operations }])

    const delegation = await build.delegateResource(
      10_000_000,
      receiver.address,
      'ENERGY',
      owner.address,
      false,
      0,
      { permissionId: 2 },
    )
    const signed = await hot.tronWeb.trx.multiSign(delegation, hot.privateKey)
    expect(await trx.sendRawTransaction(signed)).toMatchObject({ result: true })
    mine()
    const resources = await trx.getAccountResources(receiver.address)
    expect(resources.EnergyLimit).toBeGreaterThan(0)

    const transfer = await build.sendTrx(receiver.address, 1, owner.address, { permissionId: 2 })
    const stolen = await hot.tronWeb.trx.multiSign(transfer, hot.privateKey)
    expect(await refusal(hot.tronWeb, stolen)).toEqual({
      code: 'SIGERROR',
      message: 'Validate signature error: Permission denied',
    })
    // Without the permission id the hot key has no rights.
    const plain = await build.sendTrx(receiver.address, 1, owner.address)
    const signature = utils.crypto.ECKeySign(
      utils.code.hexStr2byteArray(plain.txID),
      utils.code.hexStr2byteArray(hot.privateKey),
    )
    const forged = { ...plain, signature: [signature] }
    expect((await refusal(hot.tronWeb, forged)).message).toContain(
      `is signed by ${hot.address} but it is not contained of permission.`,
    )
  })

  test('multiSign with a permission id asks the node for the weight', async () => {
    const [owner, hot] = [wallet(6), wallet(7)]
    const build = owner.tronWeb.transactionBuilder
    const undelegation = await build.undelegateResource(
      10_000_000,
      wallet(8).address,
      'ENERGY',
      owner.address,
    )
    const signed = await hot.tronWeb.trx.multiSign(undelegation, hot.privateKey, 2)
    expect(await hot.tronWeb.trx.sendRawTransaction(signed)).toMatchObject({ result: true })
    mine()
  })
})

test('sendHexTransaction takes the protobuf and answers with code SUCCESS', async () => {
  const a = wallet(9)
  const transfer = await a.tronWeb.transactionBuilder.sendTrx(wallet(1).address, 77)
  const signed = await a.tronWeb.trx.sign(transfer)
  const protobuf = utils.transaction.txJsonToPb(signed)
  for (const signature of signed.signature) {
    protobuf.addSignature(Uint8Array.from(Buffer.from(signature, 'hex')))
  }
  const hex = Buffer.from(protobuf.serializeBinary()).toString('hex')
  const answer = await a.tronWeb.trx.sendHexTransaction(hex)
  expect(answer).toMatchObject({ result: true, code: 'SUCCESS', txid: signed.txID })
  mine()
  expect(await a.tronWeb.trx.getUnconfirmedTransactionInfo(signed.txID)).toHaveProperty('id')
})

test('getBlock by number and id, getBlockRange, getTransactionFromBlock, chain parameters', async () => {
  const { trx } = wallet(0).tronWeb
  mine(5)
  const head = devnet.chain.head.number
  const block = await trx.getBlock(head)
  expect(await trx.getBlock(block.blockID)).toEqual(block)
  const range = await trx.getBlockRange(head - 4, head)
  expect(range.map(({ block_header }) => block_header.raw_data.number)).toEqual(
    [4, 3, 2, 1, 0].map((back) => head - back),
  )
  for (const [i, { block_header }] of range.entries()) {
    if (i > 0) expect(block_header.raw_data.parentHash).toBe(range[i - 1]!.blockID)
  }
  expect(await trx.getTransactionFromBlock(2, 0)).toHaveProperty('txID')
  const parameters = await trx.getChainParameters()
  expect(parameters).toContainEqual({ key: 'getEnergyFee', value: 100 })
  expect(await trx.getBandwidth(wallet(9).address)).toBeGreaterThan(0)
  expect((await trx.getNodeInfo()).block).toContain(`Num:${head}`)
  expect(await trx.getEnergyPrices()).toBe('0:100')
  expect(await trx.getConfirmedCurrentBlock()).toMatchObject({
    block_header: { raw_data: { number: head - 2 } },
  })
})

test('withdrawing an unstake: 14 days, then the TRX is back', async () => {
  const a = wallet(5)
  const build = a.tronWeb.transactionBuilder
  await send(a, await build.freezeBalanceV2(50_000_000, 'BANDWIDTH'))
  mine()
  await send(a, await build.unfreezeBalanceV2(50_000_000, 'BANDWIDTH'))
  mine(3)
  expect(await a.tronWeb.trx.getAvailableUnfreezeCount(a.address)).toEqual({ count: 31 })
  expect(await a.tronWeb.trx.getCanWithdrawUnfreezeAmount(a.address)).toEqual({})
  devnet.chain.clock.advance(14 * 86_400_000)
  mine()
  const before = await a.tronWeb.trx.getUnconfirmedBalance(a.address)
  const txid = await send(a, await build.withdrawExpireUnfreeze(a.address))
  mine(3)
  expect(await a.tronWeb.trx.getBalance(a.address)).toBe(before + 50_000_000)
  expect(await a.tronWeb.trx.getTransactionInfo(txid)).toMatchObject({
    withdraw_expire_amount: 50_000_000,
  })
})

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
