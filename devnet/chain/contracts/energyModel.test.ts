import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Chain } from '../chain.ts'
import { createChain } from '../createChain.ts'
import { answerCall } from '../http/server.ts'
import { fundedKeys, usdtAddress } from '../networkKeys.ts'
import { maintenanceMs } from '../parameters.ts'
import { sendAs } from '../sender.ts'
import { addressWord, word } from './builtIn.ts'

// The dynamic energy model: what a call of USDT costs depends on a factor that every maintenance
// may change (mainnet: at most 3.4).

const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]
const others = 60_000_000_000
let now: number
let chain: Chain

beforeEach(() => {
  now = 1_700_000_000_000
  chain = createChain({ now: () => now })
})

type Json = Record<string, unknown>
const ask = (path: string, body: object): Json =>
  JSON.parse(answerCall(chain, { path: `/wallet/${path}`, body: JSON.stringify(body) })!)

const data = `a9059cbb${addressWord(b.address)}${word(1n)}`
const call = { owner_address: a.address, contract_address: usdtAddress, data }
const factor = () =>
  (ask('getcontractinfo', { value: usdtAddress }).contract_state as Json).energy_factor ?? 0

function nextCycle(): void {
  now += maintenanceMs
  chain.mine()
}

function transfer(): Json {
  const contract = { type: 'TriggerSmartContract', value: call } as const
  const txid = sendAs(chain, a.privateKey, contract, { feeLimit: 100_000_000n })
  chain.mine()
  return chain.transaction(txid)!.info.receipt as Json
}

test('USDT begins with mainnet’s factor and keeps it while the network uses it', () => {
  expect(factor()).toBe(34_000)
  nextCycle()
  nextCycle()
  expect(factor()).toBe(34_000)
  expect(transfer()).toMatchObject({ energy_usage_total: 64_285n, energy_penalty_total: 49_635n })
})

test('the penalty is in constant calls, estimates and receipts, and none without a factor', () => {
  expect(ask('triggerconstantcontract', call)).toMatchObject({
    energy_used: 64_285,
    energy_penalty: 49_635,
  })
  chain.setEnergy({ contract: usdtAddress, factor: 0, others: 0 })
  const constant = ask('triggerconstantcontract', call)
  expect(constant.energy_used).toBe(14_650)
  expect(constant).not.toHaveProperty('energy_penalty')
  const receipt = transfer()
  expect(receipt.energy_usage_total).toBe(14_650n)
  expect(receipt).not.toHaveProperty('energy_penalty_total')
})

test('a quiet contract becomes cheaper with every maintenance, a busy one dearer', () => {
  chain.setEnergy({ contract: usdtAddress, factor: 34_000, others: 0 })
  nextCycle()
  // (3.4 + 1) × 0.95 − 1
  expect(factor()).toBe(31_800)
  chain.setEnergy({ contract: usdtAddress, factor: 10_000, others })
  nextCycle()
  // (1 + 1) × 1.2 − 1
  expect(factor()).toBe(14_000)
  nextCycle()
  expect(factor()).toBe(18_800)
})

test('what waits for a block is charged as it was run, and a reorganisation keeps the setting', () => {
  const value = { type: 'TriggerSmartContract', value: call } as const
  const before = sendAs(chain, a.privateKey, value, { feeLimit: 100_000_000n })
  chain.setEnergy({ contract: usdtAddress, factor: 0, others: 0 })
  const after = sendAs(chain, a.privateKey, value, { feeLimit: 99_000_000n })
  chain.mine()
  const used = (txid: string) =>
    (chain.transaction(txid)!.info.receipt as Json).energy_usage_total as bigint
  expect([used(before), used(after)]).toEqual([64_285n, 14_650n])
  chain.reorg(1)
  expect([used(after), factor()]).toEqual([14_650n, 0])
})

test('the setting survives a restart', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ergon-energy-'))
  try {
    chain = createChain({ dataDir, now: () => now })
    chain.setEnergy({ contract: usdtAddress, factor: 5_000, others: 0 })
    const { energy_usage_total } = transfer()
    chain.close()
    chain = createChain({ dataDir, now: () => now })
    expect(factor()).toBe(5_000)
    expect(transfer().energy_usage_total).toBe(energy_usage_total)
    chain.close()
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
