import { parseJson } from '@ergon/tron'
import { type StatementFault, statementFaults } from './statementFault.ts'
import { type TopUpFate, topUpFates } from './topUps.ts'

/** What the sandbox can script. The words are those of `POST /sandbox/providers/{name}`. */
export const behaviours = [
  'ok',
  'fail',
  'timeout_after_accept',
  'timeout_before_accept',
  'lost_delegation',
  'partial',
  'late',
  'taken_back',
  'down',
] as const

export type Behaviour = (typeof behaviours)[number]

/** `late` delegates this much later, by the chain's time. */
export const lateMs = 180_000

/** `taken_back` takes its Energy back so long after the delegation, by the chain's time. */
export const earlyMs = 600_000

export type Script = {
  behaviour: Behaviour
  unitPrice: bigint
  /** Between accepting an order and delegating for it. */
  delayMs: number
  /** Energy that may still be sold; undefined: whatever the stake has room for. */
  room: { left: bigint } | undefined
  /** What is wrong with its statement; orders themselves go on. */
  statement: StatementFault
  /** What becomes of TRX sent to the deposit address. */
  topUp: TopUpFate
}

export class BadScript extends Error {
  override name = 'BadScript'
}

/** What a control request changes. A field that is absent stays as it is. */
export function changedScript(script: Script, body: string): Script {
  const { behaviour, price_sun, delay_ms, capacity, statement, top_up, ...rest } = readObject(body)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new BadScript(`${unknown} is not a setting`)
  return {
    behaviour: behaviour === undefined ? script.behaviour : readBehaviour(behaviour),
    unitPrice: price_sun === undefined ? script.unitPrice : whole(price_sun, 'price_sun', 1n),
    delayMs: delay_ms === undefined ? script.delayMs : Number(whole(delay_ms, 'delay_ms', 0n)),
    room: readRoom(script, capacity),
    statement: statement === undefined ? script.statement : readFault(statement),
    topUp: top_up === undefined ? script.topUp : readTopUp(top_up),
  }
}

/** A capacity counts from the moment it is set; null gives back the whole stake. */
function readRoom(script: Script, capacity: unknown): Script['room'] {
  if (capacity === undefined) return script.room
  return capacity === null ? undefined : { left: whole(capacity, 'capacity', 0n) }
}

function readBehaviour(value: unknown): Behaviour {
  const known = behaviours.find((word) => word === value)
  if (!known) throw new BadScript(`behaviour must be one of ${behaviours.join(', ')}`)
  return known
}

function readFault(value: unknown): StatementFault {
  const known = statementFaults.find((word) => word === value)
  if (!known) throw new BadScript(`statement must be one of ${statementFaults.join(', ')}`)
  return known
}

function readTopUp(value: unknown): TopUpFate {
  const known = topUpFates.find((word) => word === value)
  if (!known) throw new BadScript(`top_up must be one of ${topUpFates.join(', ')}`)
  return known
}

function whole(value: unknown, name: string, least: bigint): bigint {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  const amount = typeof text === 'string' && /^\d{1,15}$/.test(text) ? BigInt(text) : undefined
  if (amount === undefined || amount < least) {
    throw new BadScript(`${name} must be a whole number from ${least}`)
  }
  return amount
}

function readObject(body: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parseJson(body)
  } catch {
    throw new BadScript('the body is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadScript('the body is not a JSON object')
  }
  return value as Record<string, unknown>
}
