import { randomUUID } from 'node:crypto'
import { toBase58, toHex } from '@ergon/tron'
import { SANDBOX_HOT_ADDRESS } from '../../../service/app/sandboxNetwork.ts'
import type { TestApp } from '../../testing/app.ts'

/** Rows for a loop. The first is poisoned: its update fails. */
export type Planted = {
  /** The value of the poisoned column, for each row. */
  keys: string[]
  /** How operators see the rows, if not by the key. */
  subjects?: string[]
}

export type Case = {
  loop: string
  /** Tells apart two cases of the same loop. */
  also?: string
  /** The operators' word for the rows. */
  kind: string
  plant(world: World): Promise<Planted>
  /** The statement that fails, and the column that selects the row. */
  poison: { when: string; table: string; column: string }
  /** Selects the keys that are not handled yet. */
  left: string
  /** Makes rows due again whose lease uses the database's clock. */
  again?: string
  /** Tables to empty afterwards. */
  clean: string
}

export type World = {
  app: TestApp
  account: string
  now: Date
  many: number
  few: number
  plant(table: string, rows: readonly Record<string, string>[]): Promise<void>
  webhook(): Promise<string>
}

export const PAST = '2026-01-01T00:00:00Z'
export const RECEIVER = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
export const OWNER = toHex(SANDBOX_HOT_ADDRESS)
export const STAY = { duration_seconds: '3600', receiver_address: RECEIVER, energy: '1000' }

const DATA = JSON.stringify({ amount_sun: 1, entry_type: 'deposit', balance_sun: 1 })

export const uuids = (count: number) => Array.from({ length: count }, () => randomUUID()).toSorted()
export const addresses = (count: number) =>
  uuids(count).map((id) => toBase58(`41${id.replaceAll('-', '')}00000000`))
export const txidOf = (id: string) => id.replaceAll('-', '').repeat(2)
export const soon = ({ now }: World) => new Date(now.getTime() + 3_600_000).toISOString()

export async function plantOrders(
  { account, now, many, plant }: World,
  columns: Record<string, string>,
) {
  const keys = uuids(many)
  const order = { account_id: account, receiver_address: RECEIVER, resource_amount: '1000' }
  const rows = keys.map((id, n) => ({ ...order, id, number: `${n + 1}`, ...columns }))
  const times = { created_at: now.toISOString(), updated_at: now.toISOString() }
  await plant(
    'orders.purchase_order',
    rows.map((row) => ({ ...row, ...times })),
  )
  return keys
}

/** Requests with one part each, with the same ids. */
export async function plantParts(world: World, keys: string[], part: Record<string, string>) {
  const { plant } = world
  const request = { ...STAY, state: 'open', deadline_at: soon(world) }
  await plant(
    'delivery.request',
    keys.map((id) => ({ ...request, id })),
  )
  await plant(
    'delivery.part',
    keys.map((id) => ({ id, request_id: id, energy: '1000', ...part })),
  )
}

export async function plantEvents(
  { now, plant }: World,
  reader: string,
  accounts: readonly string[],
) {
  const keys = uuids(accounts.length)
  const at = now.toISOString()
  const rows = keys.map((id, n) => ({ id, account_id: accounts[n]!, created_at: at, data: DATA }))
  await plant(
    'events.event',
    rows.map((row) => ({ ...row, type: 'balance.changed' })),
  )
  await plant(
    'events.pending',
    keys.map((id, n) => ({
      reader,
      event_id: id,
      event_created_at: at,
      account_id: accounts[n]!,
    })),
  )
  return keys
}

export async function plantAccounts({ plant }: World, count: number): Promise<string[]> {
  const keys = uuids(count)
  await plant(
    'identity.account',
    keys.map((id) => ({ id })),
  )
  return keys
}

export async function plantPayments(
  { account, many, plant }: World,
  columns: Record<string, string>,
) {
  const keys = uuids(many)
  const config = randomUUID()
  await plant('agent.config', [
    {
      id: config,
      account_id: account,
      public_id: '1'.repeat(22),
      address: RECEIVER,
      mode: 'own',
      base_payment_sun: '90000000',
      status: 'active',
    },
  ])
  const payment = { account_id: account, config_id: config, payer: RECEIVER, ...columns }
  await plant(
    'agent.payment',
    keys.map((id) => ({ ...payment, id, txid: txidOf(id), block_number: '1', expires_at: PAST })),
  )
  return { keys }
}

/** Requests that the signer has refused; their ids. */
export async function plantAnswers({ many, plant }: World): Promise<string[]> {
  const keys = uuids(many)
  await plant(
    'signing.request',
    keys.map((id) => ({ id, txid: txidOf(id), purpose: 'treasury', expires_at: PAST })),
  )
  await plant(
    'signing.answer',
    keys.map((id) => ({ request_id: id, state: 'refused', reason: 'a test' })),
  )
  return keys
}
