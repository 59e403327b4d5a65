// Proves: signing, signer.
import { randomUUID } from 'node:crypto'
import { type Contract, decodeRaw, encodeRaw, parseAddress, txId } from '@ergon/tron'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SANDBOX_STAKE } from '../../service/app/sandboxNetwork.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { seeHead } from '../testing/nearHead.ts'
import { until } from '../testing/until.ts'
import { openSigner, type TestSigner } from '../testing/world.ts'

// An attacker with the service's database role sends requests to a running signer. Whatever they
// ask for, no more stake is signed for than the limits allow.

const [stakeText = '', permission = ''] = SANDBOX_STAKE.split(':')
const stake = parseAddress(stakeText)!
const thief = `41${'66'.repeat(20)}`
const TRX = 1_000_000n
const HOUR_MS = 3_600_000
const LIMITS = { SIGNER_HOURLY_TRX_MAX: '100', SIGNER_DAILY_TRX_MAX: '150' }

let database: TestDatabase
let app: pg.Client
let signer: TestSigner | undefined

beforeEach(async () => {
  database = await createTestDatabase()
  app = new pg.Client({ connectionString: database.url('ergon_app') })
  app.on('error', () => {})
  await app.connect()
})

afterEach(async () => {
  await signer?.stop()
  signer = undefined
  await app.end()
  await database.drop()
})

async function startSigner() {
  await signer?.stop()
  signer = await openSigner(database.url('ergon_signer'), { ...LIMITS, LOG_LEVEL: 'silent' })
}

let asked = 0

/** A delegation to the attacker; each has another timestamp, hence another txid. */
function delegation(balance: bigint, changes: Partial<Contract> = {}): Uint8Array {
  asked += 1
  const value = { owner_address: stake, receiver_address: thief, resource: 'ENERGY', balance }
  const contract = {
    type: 'DelegateResourceContract',
    value,
    permissionId: Number(permission),
    ...changes,
  } as Contract
  return encodeRaw({
    contract,
    refBlockBytes: '0001',
    refBlockHash: '0011223344556677',
    expiration: 1_800_000_060_000,
    timestamp: 1_800_000_000_000 + asked,
    feeLimit: 0n,
    data: '',
  })
}

/** Requests a signature with the service's role: returns 'signed' or the reason of the refusal. */
async function ask(raw: Uint8Array, purpose = 'delegate'): Promise<string> {
  const id = randomUUID()
  await app.query(
    `insert into signing.request
       (id, purpose, owner_address, raw_bytes, txid, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, purpose, stake, Buffer.from(raw), txId(raw), new Date(1_800_000_060_000), new Date()],
  )
  signer?.wake()
  return until('the answer of the signer', async () => {
    await seeHead(database)
    const { rows } = await app.query(
      `select state, reason from signing.answer where request_id = $1`,
      [id],
    )
    const [answer] = rows as { state: string; reason: string | null }[]
    return answer && (answer.reason ?? answer.state)
  })
}

test('a negative delegation is refused, and frees nothing of the limit', async () => {
  await startSigner()
  expect(await ask(delegation(100n * TRX))).toBe('signed')
  expect(await ask(delegation(1n * TRX))).toContain('hourly limit')
  for (const balance of [-100n * TRX, -1n, -(2n ** 63n), 0n, TRX - 1n]) {
    expect(await ask(delegation(balance)), String(balance)).toContain('less than')
  }
  expect(await ask(delegation(1n * TRX))).toContain('hourly limit')
  // A reclaim with a negative amount would be a delegation without a limit, if a node accepted it.
  const reclaim = delegation(-5n * TRX, { type: 'UnDelegateResourceContract' } as Partial<Contract>)
  expect(await ask(reclaim, 'reclaim')).toContain('less than')
})

test('what was signed counts after a restart, for the hour and for the day', async () => {
  await startSigner()
  expect(await ask(delegation(100n * TRX))).toBe('signed')
  await startSigner()
  expect(await ask(delegation(1n * TRX))).toContain('hourly limit')

  await database.sql(`update signing.answer set answered_at = $1`, [
    new Date(Date.now() - 2 * HOUR_MS),
  ])
  await startSigner()
  expect(await ask(delegation(51n * TRX))).toContain('daily limit')
  expect(await ask(delegation(50n * TRX))).toBe('signed')
  expect(await ask(delegation(1n * TRX))).toContain('daily limit')
})

test('a negative delegation that was signed long ago frees nothing after a restart', async () => {
  await startSigner()
  const raw = delegation(-1_000n * TRX)
  const id = randomUUID()
  await database.sql(
    `insert into signing.request
       (id, purpose, owner_address, raw_bytes, txid, expires_at, created_at, handed_over)
     values ($1, 'delegate', $2, $3, $4, now(), now(), true)`,
    [id, stake, Buffer.from(raw), txId(raw)],
  )
  await database.sql(
    `insert into signing.answer (request_id, state, signature, answered_at)
     values ($1, 'signed', 'aa', now())`,
    [id],
  )
  await startSigner()
  expect(await ask(delegation(101n * TRX))).toContain('hourly limit')
})

const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

/** A protobuf varint; `long` adds bytes that do not change the value. */
function varint(value: number, long = 0): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  bytes.push(rest)
  for (let i = 0; i < long; i++) {
    bytes.push(bytes.pop()! + 0x80, 0)
  }
  return Uint8Array.from(bytes)
}

const numberField = (tag: number, value: Uint8Array) => joined(varint(tag * 8), value)
const bytesField = (tag: number, value: Uint8Array) =>
  joined(varint(tag * 8 + 2), varint(value.length), value)
const hexField = (tag: number, hex: string) => bytesField(tag, Buffer.from(hex, 'hex'))

const ONE_TRX = varint(1_000_000)
const DELEGATE = numberField(1, varint(57))
const TYPE_URL = Buffer.from('type.googleapis.com/protocol.DelegateResourceContract')

/** A delegation of 1 TRX encoded by hand, with extra bytes in each of its four messages. */
function handmade({
  amount = ONE_TRX,
  value = new Uint8Array(),
  parameter = new Uint8Array(),
  contract = new Uint8Array(),
  raw = new Uint8Array(),
}: Partial<Record<'amount' | 'value' | 'parameter' | 'contract' | 'raw', Uint8Array>>) {
  asked += 1
  const wholeValue = joined(
    hexField(1, stake),
    numberField(2, varint(1)),
    numberField(3, amount),
    hexField(4, thief),
    value,
  )
  const any = joined(bytesField(1, TYPE_URL), bytesField(2, wholeValue), parameter)
  const permissionId = numberField(5, varint(Number(permission)))
  return joined(
    hexField(1, '0001'),
    hexField(4, '0011223344556677'),
    numberField(8, varint(1_800_000_060_000)),
    bytesField(11, joined(DELEGATE, bytesField(2, any), permissionId, contract)),
    numberField(14, varint(1_800_000_000_000 + asked)),
    raw,
  )
}

/** Bits above the 64th, which our decoder and a node both drop. */
const tooWide = Uint8Array.from([...varint(1_000_000, 7).slice(0, 9), 0x02])
const varintOfMinusOne = Uint8Array.from([...Array(9).fill(0xff), 0x01])
const unknown = Uint8Array.of(15 * 8 + 2, 2, 0xde, 0xad)

const disguises: [what: string, raw: () => Uint8Array][] = [
  ['an unknown field in the transaction', () => handmade({ raw: unknown })],
  ['an unknown field in the contract', () => handmade({ contract: unknown })],
  ['an unknown field in the parameter', () => handmade({ parameter: unknown })],
  ['an unknown field in the value', () => handmade({ value: unknown })],
  ['an amount that is there twice', () => handmade({ value: numberField(3, ONE_TRX) })],
  [
    'a negative amount before the one that counts',
    () => handmade({ amount: varintOfMinusOne, value: numberField(3, ONE_TRX) }),
  ],
  ['a contract type that is there twice', () => handmade({ contract: DELEGATE })],
  ['a default that is written out', () => handmade({ value: numberField(5, varint(0)) })],
  ['an amount with empty bytes at its end', () => handmade({ amount: varint(1_000_000, 2) })],
  ['an amount of more than 64 bits', () => handmade({ amount: tooWide })],
  ['a time that is there twice', () => handmade({ raw: numberField(14, varint(7)) })],
]

test('bytes that are not exactly what they decode to are refused', async () => {
  await startSigner()
  const plain = handmade({})
  expect(await ask(plain)).toBe('signed')
  for (const [what, raw] of disguises) {
    const disguised = raw()
    // Our decoder reads the valid delegation of 1 TRX in all of them.
    expect(decodeRaw(disguised).contract, what).toEqual(decodeRaw(plain).contract)
    expect(await ask(disguised), what).toContain('encodes to')
  }
})
