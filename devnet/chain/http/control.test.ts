import { toBase58 } from '@ergon/tron'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'
import { fundedKeys } from '../networkKeys.ts'

type Json = Record<string, unknown>

let devnet: Devnet
const [from, to] = fundedKeys.slice(0, 2).map(({ address }) => toBase58(address)) as [
  string,
  string,
]

beforeEach(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 4 })
})
afterEach(() => devnet.close())

async function post(path: string, body: unknown = {}): Promise<{ status: number; json: Json }> {
  const response = await fetch(devnet.url + path, { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Json) }
}

async function get(path: string): Promise<Json> {
  return (await (await fetch(devnet.url + path)).json()) as Json
}

test('mine, transfer, usdt, state: a deposit in three calls', async () => {
  const transfer = await post('/control/transfer', { from, to, amount_sun: 5_000_000 })
  const usdt = await post('/control/usdt', { from, to, amount: '7' })
  const { pool } = await get('/control/state')
  expect(pool).toEqual([transfer.json.txid, usdt.json.txid])
  const { json } = await post('/control/mine', { blocks: 3 })
  expect(json.head).toMatchObject({ number: 4 })
  const info = await post('/wallet/gettransactioninfobyid', { value: usdt.json.txid })
  expect(info.json).toMatchObject({ blockNumber: 2, receipt: { result: 'SUCCESS' } })
  expect(await get('/control/state')).toMatchObject({
    head: { number: 4 },
    solid: { number: 0 },
    pool: [],
  })
})

test('keys are the funded ones, and only they may send', async () => {
  const keys = (await get('/control/keys')) as { funded_keys: { address: string }[] }
  expect(keys.funded_keys.map(({ address }) => address)).toEqual(
    fundedKeys.map(({ address }) => toBase58(address)),
  )
  const stranger = toBase58(`41${'99'.repeat(20)}`)
  const refused = await post('/control/transfer', { from: stranger, to, amount_sun: 1 })
  expect(refused.status).toBe(400)
  const poor = await post('/control/transfer', { from, to, amount_sun: 10 ** 15 })
  expect(poor).toMatchObject({ status: 400, json: { code: 'CONTRACT_VALIDATE_ERROR' } })
})

test('reorg drops the given transactions, and refuses to touch the solid block', async () => {
  await post('/control/mine', { blocks: 5 })
  const kept = await post('/control/transfer', { from, to, amount_sun: 1 })
  const dropped = await post('/control/transfer', { from, to, amount_sun: 2 })
  await post('/control/mine')
  const reorg = { depth: 2, drop_txids: [dropped.json.txid] }
  expect((await post('/control/reorg', reorg)).json.head).toMatchObject({ number: 8 })
  expect((await post('/wallet/gettransactionbyid', { value: dropped.json.txid })).json).toEqual({})
  expect((await post('/wallet/gettransactionbyid', { value: kept.json.txid })).json).toHaveProperty(
    'txID',
  )
  const deep = await post('/control/reorg', { depth: 5 })
  expect(deep.status).toBe(400)
  expect(deep.json.error).toBe('depth must be 1 to 4: block 4 is solid and the head is 8')
})

test('the clock moves forward, and the next block has its time', async () => {
  const { now } = (await get('/control/clock')) as { now: number }
  const moved = (await post('/control/clock', { advance_seconds: 3_600 })).json as { now: number }
  expect(moved.now - now).toBeGreaterThanOrEqual(3_600_000)
  const { json } = await post('/control/mine')
  expect((json.head as { timestamp: number }).timestamp).toBeGreaterThanOrEqual(moved.now)
  expect((await post('/control/clock', { advance_seconds: -1 })).status).toBe(400)
})

test('reset begins a new chain on the same port', async () => {
  await post('/control/transfer', { from, to, amount_sun: 1 })
  await post('/control/mine', { blocks: 10 })
  expect((await post('/control/reset')).json.head).toMatchObject({ number: 1 })
  const account = await post('/wallet/getaccount', { address: to, visible: true })
  expect(account.json.balance).toBe(1_000_000_000_000)
})

describe('faults', () => {
  test('http_status, a number of times', async () => {
    await post('/control/faults', { http_status: 503, times: 2 })
    expect((await post('/wallet/getnowblock')).status).toBe(503)
    expect((await post('/walletsolidity/getnowblock')).status).toBe(503)
    expect((await post('/wallet/getnowblock')).status).toBe(200)
  })

  test('empty_infos hides receipts, and only those', async () => {
    const { json } = await post('/control/transfer', { from, to, amount_sun: 1 })
    await post('/control/mine')
    await post('/control/faults', { empty_infos: true })
    const infos = () => post('/wallet/gettransactioninfobyblocknum', { num: 2 })
    expect((await infos()).json).toEqual([])
    expect((await post('/wallet/gettransactioninfobyid', { value: json.txid })).json).toEqual({})
    expect((await post('/wallet/getblockbynum', { num: 2 })).json.transactions).toHaveLength(1)
    await post('/control/faults', {})
    expect((await infos()).json).toHaveLength(1)
  })

  test('stale_head_ms shows the chain as it was, state included', async () => {
    await post('/control/mine', { blocks: 3 })
    const before = await get('/wallet/getnowblock')
    await post('/control/clock', { advance_seconds: 60 })
    await post('/control/transfer', { from, to, amount_sun: 9 })
    await post('/control/mine', { blocks: 1 })
    await post('/control/faults', { stale_head_ms: 30_000 })
    expect(await get('/wallet/getnowblock')).toEqual(before)
    expect((await post('/wallet/getblockbynum', { num: 5 })).json).toEqual({})
    const stale = await post('/wallet/getaccount', { address: to, visible: true })
    expect(stale.json.balance).toBe(1_000_000_000_000)
    await post('/control/faults', {})
    expect((await post('/wallet/getblockbynum', { num: 5 })).json).toHaveProperty('blockID')
  })

  test('delay_ms makes the answer late', async () => {
    await post('/control/faults', { delay_ms: 80, times: 1 })
    const began = performance.now()
    await get('/wallet/getnowblock')
    expect(performance.now() - began).toBeGreaterThanOrEqual(79)
  })
})
