import type { HexAddress } from '@ergon/tron'
import {
  type AbiEntry,
  addressArgument,
  addressWord,
  argument,
  type BuiltInContract,
  type Call,
  type CallResult,
  returned,
  reverted,
  word,
} from './builtIn.ts'

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const approvalTopic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'

// Mainnet's two classes in July 2026 (vectors/transaction-infos.json): a recipient that holds USDT,
// and one whose balance slot is written for the first time. With mainnet's factor of 3.4 they are
// 64,285 and 130,285.
const toHolder = { energy: 14_650n, steps: 875n }
const toNewcomer = { energy: 29_650n, steps: 875n }
// Not measured on mainnet; only their order of magnitude matters here.
const approveCost = { energy: 22_674n, steps: 8n }
const revertEnergy = 923n
const readCost = { energy: 214n, steps: 33n }
// Mainnet's USDT is used far more than the threshold in every cycle, so its factor is the highest.
const dynamic = { factor: 34_000, others: 60_000_000_000n }

const supplyKey = 'supply'
const balanceKey = (holder: HexAddress) => holder
const allowanceKey = (owner: HexAddress, spender: HexAddress) => owner + spender

const methods: Record<string, { signature: string; run: (call: Call) => CallResult }> = {
  a9059cbb: { signature: 'transfer(address,uint256)', run: transfer },
  '23b872dd': { signature: 'transferFrom(address,address,uint256)', run: transferFrom },
  '095ea7b3': { signature: 'approve(address,uint256)', run: approve },
  '70a08231': { signature: 'balanceOf(address)', run: balanceOf },
  dd62ed3e: { signature: 'allowance(address,address)', run: allowance },
  '18160ddd': { signature: 'totalSupply()', run: totalSupply },
  '313ce567': { signature: 'decimals()', run: () => read(word(6n)) },
  '95d89b41': { signature: 'symbol()', run: () => read(text('USDT')) },
  '06fdde03': { signature: 'name()', run: () => read(text('Tether USD')) },
}

export const usdt: BuiltInContract = {
  name: 'TetherToken',
  dynamic,
  abi: describe(),
  methods: Object.fromEntries(
    Object.entries(methods).map(([selector, { signature }]) => [selector, signature]),
  ),
  run(call) {
    const method = methods[call.data.slice(0, 8)]
    // None of the methods is payable, and there is no fallback.
    if (!method || call.callValue > 0n) return reverted(revertEnergy)
    return method.run(call)
  },
}

/** Genesis: puts tokens on an address and into the supply. */
export function mint(tables: Call['tables'], holder: HexAddress, amount: bigint): void {
  tables.usdt.set(balanceKey(holder), balance(tables, holder) + amount)
  tables.usdt.set(supplyKey, (tables.usdt.get(supplyKey) ?? 0n) + amount)
}

function transfer(call: Call): CallResult {
  const amount = BigInt(`0x${argument(call.data, 1)}`)
  return move(call, call.caller, addressArgument(call.data, 0), amount)
}

function transferFrom(call: Call): CallResult {
  const from = addressArgument(call.data, 0)
  const amount = BigInt(`0x${argument(call.data, 2)}`)
  const key = allowanceKey(from, call.caller)
  const allowed = call.tables.allowances.get(key) ?? 0n
  if (allowed < amount) return reverted(revertEnergy)
  const result = move(call, from, addressArgument(call.data, 1), amount)
  if (!result.reverted && allowed < unlimited) put(call.tables.allowances, key, allowed - amount)
  return result
}

const unlimited = 2n ** 256n - 1n

function move(call: Call, from: HexAddress, to: HexAddress, amount: bigint): CallResult {
  const { tables } = call
  const available = balance(tables, from)
  if (available < amount) return reverted(revertEnergy)
  const cost = balance(tables, to) > 0n ? toHolder : toNewcomer
  put(tables.usdt, balanceKey(from), available - amount)
  put(tables.usdt, balanceKey(to), balance(tables, to) + amount)
  const log = {
    address: call.contract.slice(2),
    topics: [transferTopic, addressWord(from), addressWord(to)],
    data: word(amount),
  }
  // 32 zero bytes although the transfer worked: mainnet's USDT declares a bool it never sets.
  return returned(cost.energy, word(0n), { steps: cost.steps, logs: [log] })
}

function approve(call: Call): CallResult {
  const spender = addressArgument(call.data, 0)
  const amount = BigInt(`0x${argument(call.data, 1)}`)
  put(call.tables.allowances, allowanceKey(call.caller, spender), amount)
  const log = {
    address: call.contract.slice(2),
    topics: [approvalTopic, addressWord(call.caller), addressWord(spender)],
    data: word(amount),
  }
  return returned(approveCost.energy, word(1n), { steps: approveCost.steps, logs: [log] })
}

function balanceOf({ tables, data }: Call): CallResult {
  return read(word(balance(tables, addressArgument(data, 0))))
}

function allowance({ tables, data }: Call): CallResult {
  const key = allowanceKey(addressArgument(data, 0), addressArgument(data, 1))
  return read(word(tables.allowances.get(key) ?? 0n))
}

function totalSupply({ tables }: Call): CallResult {
  return read(word(tables.usdt.get(supplyKey) ?? 0n))
}

function read(output: string): CallResult {
  return returned(readCost.energy, output, { steps: readCost.steps })
}

function balance(tables: Call['tables'], holder: HexAddress): bigint {
  return tables.usdt.get(balanceKey(holder)) ?? 0n
}

function put(table: Call['tables']['usdt'], key: string, value: bigint): void {
  table.set(key, value === 0n ? undefined : value)
}

function text(value: string): string {
  const hex = Buffer.from(value).toString('hex')
  return word(32n) + word(BigInt(value.length)) + hex.padEnd(64, '0')
}

function describe(): AbiEntry[] {
  const address = (name: string) => ({ name, type: 'address' })
  const amount = { name: '_value', type: 'uint256' }
  const view = (name: string, type: string, inputs: AbiEntry['inputs'] = []): AbiEntry => ({
    outputs: [{ type }],
    constant: true,
    ...(inputs.length > 0 ? { inputs } : {}),
    name,
    stateMutability: 'View',
    type: 'Function',
  })
  const write = (name: string, inputs: NonNullable<AbiEntry['inputs']>): AbiEntry => ({
    outputs: [{ type: 'bool' }],
    inputs,
    name,
    stateMutability: 'Nonpayable',
    type: 'Function',
  })
  const event = (name: string, first: string, second: string): AbiEntry => ({
    inputs: [
      { indexed: true, ...address(first) },
      { indexed: true, ...address(second) },
      { name: 'value', type: 'uint256' },
    ],
    name,
    type: 'Event',
  })
  return [
    view('name', 'string'),
    view('symbol', 'string'),
    view('decimals', 'uint256'),
    view('totalSupply', 'uint256'),
    view('balanceOf', 'uint256', [address('who')]),
    view('allowance', 'uint256', [address('_owner'), address('_spender')]),
    write('transfer', [address('_to'), amount]),
    write('transferFrom', [address('_from'), address('_to'), amount]),
    write('approve', [address('_spender'), amount]),
    event('Transfer', 'from', 'to'),
    event('Approval', 'owner', 'spender'),
  ]
}
