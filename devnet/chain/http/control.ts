import { parseAddress, parseJson, toBase58 } from '@ergon/tron'
import { type Chain, ReorgError } from '../chain.ts'
import { addressWord, word } from '../contracts/builtIn.ts'
import { energyModel } from '../contracts/energyModel.ts'
import { usdt } from '../contracts/usdt.ts'
import { FaultError, type FaultSettings, type Faults } from '../faults.ts'
import type { FundedKey } from '../networkKeys.ts'
import { dynamicEnergy } from '../parameters.ts'
import { Refusal } from '../refusal.ts'
import { sendAs } from '../sender.ts'
import { total } from '../state.ts'

/** What the sandbox may do with a running devnet. */
export type Control = {
  chain: () => Chain
  faults: Faults
  reset: () => void
}

type Answer = { status: number; json: unknown }
type Route = (control: Control, body: string) => Answer

class BadRequest extends Error {
  override name = 'BadRequest'
}

export const controlRoutes: Record<string, Route> = {
  'POST /control/mine': route(({ chain }, { blocks = 1 }) => {
    const count = wholeNumber(blocks, 'blocks', 1, 100_000)
    for (let mined = 0; mined < count; mined++) chain().mine()
    return { head: headJson(chain()) }
  }),
  'POST /control/reorg': route(({ chain }, { depth, drop_txids = [] }) => {
    if (!Array.isArray(drop_txids)) throw new BadRequest('drop_txids must be a list')
    chain().reorg(Number(depth), new Set(drop_txids.map((txid) => String(txid).toLowerCase())))
    return { head: headJson(chain()) }
  }),
  'POST /control/transfer': route((control, { from, to, amount_sun }) => {
    const { key, receiver } = parties(control.chain(), from, to)
    const amount = integer(amount_sun, 'amount_sun')
    const value = { owner_address: key.address, to_address: receiver, amount }
    return { txid: sendAs(control.chain(), key.privateKey, { type: 'TransferContract', value }) }
  }),
  'POST /control/usdt': route((control, { from, to, amount }) => {
    const chain = control.chain()
    const { key, receiver } = parties(chain, from, to)
    const value = {
      owner_address: key.address,
      contract_address: chain.network.usdt,
      data: `a9059cbb${addressWord(receiver)}${word(integer(amount, 'amount'))}`,
    }
    const contract = { type: 'TriggerSmartContract', value } as const
    return { txid: sendAs(chain, key.privateKey, contract, { feeLimit: 100_000_000n }) }
  }),
  'POST /control/clock': route(({ chain }, { advance_seconds }) => {
    chain().clock.advance(wholeNumber(advance_seconds, 'advance_seconds', 0, 1e9) * 1000)
    return { now: chain().clock.now() }
  }),
  'GET /control/clock': route(({ chain }) => ({ now: chain().clock.now() })),
  'POST /control/faults': route(({ faults }, settings) => {
    faults.set(settings as FaultSettings)
    return faults.settings
  }),
  'GET /control/faults': route(({ faults }) => faults.settings),
  'POST /control/energy': route(({ chain }, { factor, network_usage }) => {
    const at = chain()
    const model = energyModel(at.pending.tables, at.network.usdt, usdt)!
    at.setEnergy({
      contract: at.network.usdt,
      factor: wholeNumber(factor ?? model.factor, 'factor', 0, dynamicEnergy.max),
      others: wholeNumber(network_usage ?? Number(model.others), 'network_usage', 0, 1e15),
    })
    return energyJson(at)
  }),
  'GET /control/energy': route(({ chain }) => energyJson(chain())),
  'POST /control/reset': route((control) => {
    control.reset()
    return { head: headJson(control.chain()) }
  }),
  'GET /control/keys': route(({ chain }) => keysJson(chain())),
  'GET /control/state': route(({ chain }) => ({
    head: headJson(chain()),
    solid: { number: chain().solidNumber, id: chain().block(chain().solidNumber)!.id },
    pool: [...chain().pool.keys()],
  })),
}

export function keysJson({ network }: Chain) {
  return {
    funded_keys: network.funded.map(({ address, privateKey }) => ({
      address: toBase58(address),
      private_key: privateKey,
    })),
    usdt_contract: toBase58(network.usdt),
    splitter_contract: toBase58(network.splitter),
    witness_address: toBase58(network.witness.address),
  }
}

/** What calls of USDT cost: its factor in ten-thousandths, and what the network uses in a cycle. */
function energyJson({ pending: { tables }, network }: Chain) {
  const { factor, others } = energyModel(tables, network.usdt, usdt)!
  const next_maintenance = Number(total(tables, 'maintenance'))
  return { factor, network_usage: Number(others), next_maintenance }
}

function headJson({ head }: Chain) {
  return { number: head.number, id: head.id, timestamp: head.timestamp }
}

/** Turns what a caller can get wrong into a 400 with a sentence. */
function route(run: (control: Control, body: Record<string, unknown>) => unknown): Route {
  return (control, text) => {
    try {
      return { status: 200, json: run(control, readObject(text)) }
    } catch (error) {
      const isCallers =
        error instanceof BadRequest || error instanceof ReorgError || error instanceof FaultError
      if (isCallers) return { status: 400, json: { error: error.message } }
      if (error instanceof Refusal) {
        return { status: 400, json: { error: error.message, code: error.code } }
      }
      throw error
    }
  }
}

function readObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    throw new BadRequest('the body is not JSON')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new BadRequest('the body is not a JSON object')
  }
  return body as Record<string, unknown>
}

function parties(chain: Chain, from: unknown, to: unknown): { key: FundedKey; receiver: string } {
  const sender = typeof from === 'string' ? parseAddress(from) : undefined
  const key = chain.network.funded.find(({ address }) => address === sender)
  if (!key) throw new BadRequest('from is not one of the funded addresses (GET /control/keys)')
  const receiver = typeof to === 'string' ? parseAddress(to) : undefined
  if (!receiver) throw new BadRequest('to is not an address')
  return { key, receiver }
}

function wholeNumber(value: unknown, name: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value
  }
  throw new BadRequest(`${name} must be a whole number from ${min} to ${max}`)
}

/** Money may come as a JSON number or, above 2^53, as a string. */
function integer(value: unknown, name: string): bigint {
  const text = typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && /^\d{1,19}$/.test(text)) return BigInt(text)
  throw new BadRequest(`${name} must be a whole number`)
}
