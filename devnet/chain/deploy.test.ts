import { beforeEach, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain } from './createChain.ts'
import { answerCall } from './http/server.ts'
import { fundedKeys } from './networkKeys.ts'
import { sendAs } from './sender.ts'

const [a] = [fundedKeys[0]!]
let chain: Chain
beforeEach(() => {
  chain = createChain()
})

type Json = Record<string, unknown>
const ask = (path: string, body: object): Json =>
  JSON.parse(answerCall(chain, { path: `/wallet/${path}`, body: JSON.stringify(body) })!)

const new_contract = {
  origin_address: a.address,
  abi: {
    entrys: [{ name: 'f', inputs: [], outputs: [{ type: 'uint256' }], type: 'Function' as const }],
  },
  bytecode: '60'.repeat(300),
  name: 'Counter',
  consume_user_resource_percent: 100n,
  origin_energy_limit: 10_000_000n,
}

function deploy(feeLimit: bigint): Json {
  const value = { owner_address: a.address, new_contract }
  const txid = sendAs(chain, a.privateKey, { type: 'CreateSmartContract', value }, { feeLimit })
  chain.mine()
  return chain.transaction(txid)!.info
}

test('a contract is deployed: its code costs 200 Energy a byte, and it can be read', () => {
  const info = deploy(100_000_000n)
  expect(info.receipt).toMatchObject({ energy_usage_total: 60_000n, result: 'SUCCESS' })
  const address = info.contract_address as string
  expect(ask('getcontract', { value: address })).toMatchObject({
    name: 'Counter',
    bytecode: new_contract.bytecode,
    origin_address: a.address,
    abi: { entrys: [{ name: 'f', outputs: [{ type: 'uint256' }], type: 'Function' }] },
  })
  expect(ask('getaccount', { address })).toMatchObject({ type: 'Contract' })
  const call = { owner_address: a.address, contract_address: address, data: '26121ff0' }
  expect(ask('triggerconstantcontract', call)).toMatchObject({
    transaction: { ret: [{ ret: 'FAILED' }] },
  })
})

test('without enough Energy nothing is deployed, and all of it is paid', () => {
  const info = deploy(1_000_000n)
  expect(info).toMatchObject({ result: 'FAILED', fee: expect.anything() })
  expect(info.receipt).toMatchObject({ energy_usage_total: 10_000n, result: 'OUT_OF_ENERGY' })
  expect(ask('getcontract', { value: info.contract_address })).toEqual({})
})

test('the node answers the address that the contract will have', () => {
  const built = ask('deploycontract', {
    owner_address: a.address,
    abi: JSON.stringify([{ type: 'function', name: 'f', inputs: [], stateMutability: 'view' }]),
    bytecode: '6000',
    parameter: '01',
    name: 'x',
    fee_limit: 1_000_000,
    origin_energy_limit: 1,
  })
  expect(built.contract_address).toMatch(/^41[0-9a-f]{40}$/)
  expect(JSON.stringify(built.raw_data)).toContain('"bytecode":"600001"')
  expect(JSON.stringify(built.raw_data)).toContain('"stateMutability":"View"')
})
