import { readFileSync } from 'node:fs'
import { type Contract, parseJson, stringifyJson } from '@ergon/tron'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { addressWord, word } from './contracts/builtIn.ts'
import { createChain } from './createChain.ts'
import { fundedKeys, splitterAddress, usdtAddress } from './networkKeys.ts'
import { type SendOptions, sendAs } from './sender.ts'

type Info = {
  fee?: number
  receipt: Record<string, number | string>
  result?: string
  resMessage?: string
  contractResult: string[]
  log?: { address: string; topics: string[]; data: string }[]
  internal_transactions?: Record<string, unknown>[]
}

let chain: Chain
const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]
const nobody = `41${'77'.repeat(20)}`

beforeEach(() => {
  chain = createChain({ now: () => 1_700_000_000_000 })
})

function settle(contract: Contract, options: SendOptions = {}, key = a): Info {
  const txid = sendAs(chain, key.privateKey, contract, options)
  chain.mine()
  return parseJson(stringifyJson(chain.transaction(txid)!.info)) as Info
}

function account(address: string) {
  return chain.viewAt(chain.head.number).tables.accounts.get(address)
}

const transfer = (to_address: string, amount = 1n): Contract => ({
  type: 'TransferContract',
  value: { owner_address: a.address, to_address, amount },
})

function usdt(to: string, amount: bigint): Contract {
  const data = `a9059cbb${addressWord(to)}${word(amount)}`
  return {
    type: 'TriggerSmartContract',
    value: { owner_address: a.address, contract_address: usdtAddress, data },
  }
}

function stake(sun: bigint, resource: 'ENERGY' | 'BANDWIDTH'): void {
  settle({
    type: 'FreezeBalanceV2Contract',
    value: { owner_address: a.address, frozen_balance: sun, resource },
  })
}

describe('bandwidth', () => {
  test('two transfers are free, the third burns 1000 SUN a byte, staked bandwidth pays again', () => {
    expect(settle(transfer(b.address)).receipt).toEqual({ net_usage: 265 })
    expect(settle(transfer(b.address)).receipt).toEqual({ net_usage: 265 })
    const third = settle(transfer(b.address))
    expect(third).toMatchObject({ fee: 265_000, receipt: { net_fee: 265_000 } })
    stake(10_000_000_000n, 'BANDWIDTH')
    expect(settle(transfer(b.address)).receipt).toEqual({ net_usage: 265 })
    chain.clock.advance(86_400_000)
    chain.mine()
    expect(account(a.address)!.usage.BANDWIDTH.used).toBe(265n)
  })

  test('a new account costs 1 TRX and 0.1 TRX, and the receiver gets the whole amount', () => {
    const info = settle(transfer(nobody, 5_000_000n))
    expect(info).toMatchObject({ fee: 1_100_000, receipt: { net_fee: 100_000 } })
    expect(account(nobody)!.balance).toBe(5_000_000n)
    expect(account(a.address)!.balance).toBe(1_000_000_000_000n - 5_000_000n - 1_100_000n)
  })

  test('staked bandwidth pays the 0.1 TRX of a new account, the free allowance does not', () => {
    stake(10_000_000_000n, 'BANDWIDTH')
    const info = settle(transfer(nobody, 5_000_000n))
    expect(info).toMatchObject({ fee: 1_000_000, receipt: { net_usage: 268 } })
  })

  test('AccountCreate costs the same and moves nothing', () => {
    const value = { owner_address: a.address, account_address: nobody }
    expect(settle({ type: 'AccountCreateContract', value }).fee).toBe(1_100_000)
    expect(account(nobody)!.balance).toBe(0n)
  })

  test('a memo costs 1 TRX, a permission update 100 TRX', () => {
    expect(settle(transfer(b.address), { data: '68656c6c6f' }).fee).toBe(1_000_000)
    const keys = [{ address: a.address, weight: 1n }]
    const info = settle({
      type: 'AccountPermissionUpdateContract',
      value: {
        owner_address: a.address,
        owner: { permission_name: 'owner', threshold: 1n, keys },
        actives: [
          { type: 'Active', threshold: 1n, operations: '0000000000000006'.padEnd(64, '0'), keys },
        ],
      },
    })
    const { net_fee = 0 } = info.receipt as { net_fee?: number }
    expect(info.fee).toBe(100_000_000 + net_fee)
  })
})

describe('USDT', () => {
  const feeLimit = 100_000_000n

  test('64,285 Energy to a holder, 130,285 to an address without USDT, burned at 100 SUN', () => {
    const holder = settle(usdt(b.address, 5n), { feeLimit })
    expect(holder).toMatchObject({
      fee: 6_428_500,
      contractResult: ['0'.repeat(64)],
      receipt: {
        energy_fee: 6_428_500,
        energy_usage_total: 64_285,
        net_usage: 345,
        result: 'SUCCESS',
        energy_penalty_total: 49_635,
      },
    })
    expect(settle(usdt(nobody, 5n), { feeLimit }).receipt.energy_usage_total).toBe(130_285)
    expect(settle(usdt(nobody, 5n), { feeLimit }).receipt.energy_usage_total).toBe(64_285)
  })

  test('the Transfer event names token, sender, receiver and amount', () => {
    const { log } = settle(usdt(b.address, 0x1dcd6500n), { feeLimit })
    expect(log).toEqual([
      {
        address: usdtAddress.slice(2),
        topics: [
          'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          addressWord(a.address),
          addressWord(b.address),
        ],
        data: '000000000000000000000000000000000000000000000000000000001dcd6500',
      },
    ])
  })

  test('stake pays first, TRX the rest: total = usage + fee / price', () => {
    stake(3_000_000_000n, 'ENERGY')
    const { receipt } = settle(usdt(b.address, 5n), { feeLimit })
    const { energy_usage, energy_fee, energy_usage_total } = receipt as Record<string, number>
    expect(energy_usage).toBeGreaterThan(29_000)
    expect(energy_usage! + energy_fee! / 100).toBe(energy_usage_total)
    stake(100_000_000_000n, 'ENERGY')
    const covered = settle(usdt(b.address, 5n), { feeLimit })
    expect(covered.receipt).not.toHaveProperty('energy_fee')
    expect(covered.receipt.energy_usage).toBe(64_285)
  })

  test('fee_limit caps all energy, staked included: OUT_OF_ENERGY, all of it is paid', () => {
    stake(100_000_000_000n, 'ENERGY')
    const before = account(a.address)!.usage.ENERGY.used
    const info = settle(usdt(b.address, 5n), { feeLimit: 5_000_000n })
    expect(info).toMatchObject({
      contractResult: [''],
      result: 'FAILED',
      receipt: { energy_usage: 50_000, energy_usage_total: 50_000, result: 'OUT_OF_ENERGY' },
    })
    expect(info).not.toHaveProperty('log')
    expect(Buffer.from(info.resMessage!, 'hex').toString()).toMatch(
      /^Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit\[50000\]/,
    )
    expect(account(a.address)!.usage.ENERGY.used).toBe(before + 50_000n)
  })

  test('more than the balance: REVERT, in the block as failed, nothing moved but the fee', () => {
    const info = settle(usdt(b.address, 10n ** 18n), { feeLimit })
    expect(info).toMatchObject({
      contractResult: [''],
      result: 'FAILED',
      resMessage: Buffer.from('REVERT opcode executed').toString('hex'),
      receipt: { result: 'REVERT' },
    })
    expect(info.fee).toBe(info.receipt.energy_fee)
    const { tables } = chain.viewAt(chain.head.number)
    expect(tables.usdt.get(b.address)).toBe(1_000_000_000_000n)
  })

  test('junk above the low 20 bytes of an address word is ignored', () => {
    const dirty = `a9059cbb${'0'.repeat(22)}41${b.address.slice(2)}${word(7n)}`
    const call = usdt(b.address, 7n) as Extract<Contract, { type: 'TriggerSmartContract' }>
    settle({ ...call, value: { ...call.value, data: dirty } }, { feeLimit })
    expect(chain.viewAt(chain.head.number).tables.usdt.get(b.address)).toBe(1_000_000_000_007n)
  })

  test('a spender moves another’s tokens with its own energy, and not beyond the allowance', () => {
    const call = (data: string, owner = a): Contract => ({
      type: 'TriggerSmartContract',
      value: { owner_address: owner.address, contract_address: usdtAddress, data },
    })
    settle(call(`095ea7b3${addressWord(b.address)}${word(100n)}`), { feeLimit })
    const take = (amount: bigint) =>
      call(`23b872dd${addressWord(a.address)}${addressWord(nobody)}${word(amount)}`, b)
    expect(settle(take(60n), { feeLimit }, b).receipt.result).toBe('SUCCESS')
    expect(settle(take(60n), { feeLimit }, b).receipt.result).toBe('REVERT')
    expect(chain.viewAt(chain.head.number).tables.usdt.get(nobody)).toBe(60n)
  })
})

test('the Splitter pays by an internal transaction, also an address that is new', () => {
  const value = {
    owner_address: a.address,
    contract_address: splitterAddress,
    call_value: 3_000_000n,
    data: `0c11dedd${addressWord(nobody)}`,
  }
  const info = settle({ type: 'TriggerSmartContract', value }, { feeLimit: 100_000_000n })
  expect(info.internal_transactions).toMatchObject([
    {
      caller_address: splitterAddress,
      transferTo_address: nobody,
      callValueInfo: [{ callValue: 3_000_000 }],
      note: '63616c6c',
    },
  ])
  expect(account(nobody)!.balance).toBe(3_000_000n)
  expect(account(splitterAddress)!.balance).toBe(0n)
})

test('our receipts have the keys of the real ones, in their order', () => {
  const { infos } = JSON.parse(
    readFileSync(new URL('../../tron/vectors/transaction-infos.json', import.meta.url), 'utf8'),
  ) as { infos: { name: string; info: Info }[] }
  const real = (name: string) => infos.find((item) => item.name.startsWith(name))!.info
  const shape = (info: Info) => [Object.keys(info), Object.keys(info.receipt)]
  stake(1_000_000_000_000n / 2n, 'ENERGY')
  expect(shape(settle(transfer(b.address)))).toEqual(shape(real('plain TRX transfer')))
  const feeLimit = 100_000_000n
  expect(shape(settle(usdt(b.address, 1n), { feeLimit }))).toEqual(shape(real('USDT 65k class, d')))
  const poor = createChain()
  chain = poor
  const burned = settle(usdt(b.address, 1n), { feeLimit: 1_000_000n })
  expect(shape(burned)).toEqual(shape(real('USDT OUT_OF_ENERGY')))
})
