import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Contract,
  type ContractType,
  contractIds,
  decodeRaw,
  encodeRaw,
  generateMnemonic,
  type RawTransaction,
  txId,
} from '@ergon/tron'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { readSettings, silentLog } from '../kernel/index.ts'
import { amountOf, type WaitingRow } from '../signing/index.ts'
import { answer } from './answer.ts'
import { publicKeysOf } from './keyFile.ts'
import { openKeyRing } from './keyRing.ts'
import { capsOf, createSignedSums } from './signedSums.ts'

// For any requests in any order: what the signer signs has the right sign, owner and destination,
// and stays within the limits of the hour and of the day.

const TRX = 1_000_000n
const INT64_MAX = 2n ** 63n - 1n
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const EXPIRATION = 1_800_000_060_000

const mnemonicFile = join(mkdtempSync(join(tmpdir(), 'ergon-props-')), 'mnemonic.txt')
const mnemonic = generateMnemonic()
writeFileSync(mnemonicFile, mnemonic)
const settings = readSettings({
  SIGNER_MNEMONIC_FILE: mnemonicFile,
  SIGNER_STAKES: `${publicKeysOf(mnemonic).stake}:2`,
  SIGNER_HOURLY_TRX_MAX: '100',
  SIGNER_DAILY_TRX_MAX: '250',
  SIGNER_HOURLY_SWEEP_TRX_MAX: '100',
  SIGNER_HOURLY_PAYOUT_TRX_MAX: '30',
  SIGNER_DAILY_PAYOUT_TRX_MAX: '32',
  SIGNER_HOURLY_STAKE_TRX_MAX: '90',
  SIGNER_DAILY_STAKE_TRX_MAX: '200',
})
const HOURLY = {
  delegate: 100n * TRX,
  sweep: 100n * TRX,
  payout: 30n * TRX,
  freeze: 90n * TRX,
  unfreeze: 90n * TRX,
}
// The default daily limit of sweeps is eight times the hourly one.
const DAILY = {
  delegate: 250n * TRX,
  sweep: 800n * TRX,
  payout: 32n * TRX,
  freeze: 200n * TRX,
  unfreeze: 200n * TRX,
}
type Limited = keyof typeof HOURLY
const LIMITED = Object.keys(HOURLY) as Limited[]

const ring = openKeyRing(settings)
const [stake] = ring.stakes.keys() as Iterable<string> as [string]
const deposit = ring.depositAddressAt(7)
const strangers = [`41${'66'.repeat(20)}`, `41${'77'.repeat(20)}`]

const anyAddress = fc.constantFrom(ring.hot, stake, deposit, ...strangers)
const anyAmount = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(TRX, 40n * TRX) },
  { weight: 1, arbitrary: fc.constantFrom(-1n, 0n, 1n, TRX - 1n, INT64_MAX, -INT64_MAX - 1n) },
  { weight: 1, arbitrary: fc.bigInt(-INT64_MAX - 1n, INT64_MAX) },
)
const rarely = <T>(value: T, otherwise: T) =>
  fc.integer({ min: 0, max: 12 }).map((drawn) => (drawn === 12 ? value : otherwise))

type Mould = { type: ContractType; owner_address: string; to: string; amount: bigint }

/** One value with the fields of every contract type: an encoder writes those of its own type. */
function contractValue({ owner_address, to, amount }: Mould, resource: string, lock: boolean) {
  return {
    owner_address,
    to_address: to,
    receiver_address: to,
    account_address: to,
    contract_address: to,
    amount,
    balance: amount,
    frozen_balance: amount,
    unfreeze_balance: amount,
    call_value: amount,
    data: 'a9059cbb',
    resource,
    actives: [],
    ...(lock && { lock, lock_period: amount }),
  }
}

/** What a correct service requests for each purpose; the test changes it anywhere. */
const honest = fc.constantFrom<{ purpose: string; type: ContractType; from: string; to: string }>(
  { purpose: 'delegate', type: 'DelegateResourceContract', from: stake, to: strangers[0]! },
  { purpose: 'reclaim', type: 'UnDelegateResourceContract', from: stake, to: strangers[0]! },
  { purpose: 'sweep', type: 'TransferContract', from: deposit, to: ring.hot },
  { purpose: 'payout', type: 'TransferContract', from: ring.hot, to: strangers[1]! },
  { purpose: 'freeze', type: 'FreezeBalanceV2Contract', from: stake, to: stake },
  { purpose: 'unfreeze', type: 'UnfreezeBalanceV2Contract', from: stake, to: stake },
)
const seldom = <T>(changed: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: changed })
const changes = fc.record({
  purpose: seldom(
    fc.constantFrom('delegate', 'reclaim', 'sweep', 'payout', 'freeze', 'unfreeze', 'gift'),
  ),
  type: seldom(fc.constantFrom(...(Object.keys(contractIds) as ContractType[]))),
  from: seldom(anyAddress),
  to: seldom(anyAddress),
  permissionId: seldom(fc.integer({ min: -1, max: 9 })),
  position: seldom(fc.bigInt(0n, 9n)),
})
const tails = [[], [0x7a, 1, 0xff], [0x70, 0x01], [0x90, 0x01, 0x00], [0x08]]

const asked = fc
  .record({
    plain: honest,
    changed: changes,
    amount: anyAmount,
    resource: rarely('BANDWIDTH', 'ENERGY'),
    lock: rarely(true, false),
    data: rarely('00ff', ''),
    feeLimit: rarely(INT64_MAX, 0n),
    expiration: rarely(-1, EXPIRATION),
    owner: seldom(anyAddress),
    tail: fc.oneof({ weight: 9, arbitrary: fc.constant(tails[0]!) }, fc.constantFrom(...tails)),
    txid: rarely('00'.repeat(32), ''),
  })
  .map((drawn): Omit<WaitingRow, 'id'> => {
    const { plain, changed, amount, resource, lock } = drawn
    const type = changed.type ?? plain.type
    const owner_address = changed.from ?? plain.from
    const to = changed.to ?? plain.to
    const wanted = owner_address === stake ? 2 : undefined
    const permissionId = changed.permissionId ?? wanted
    const value = contractValue({ type, owner_address, to, amount }, resource, lock)
    const contract = { type, value, ...(permissionId && { permissionId }) } as unknown as Contract
    const transaction: RawTransaction = {
      contract,
      refBlockBytes: '0001',
      refBlockHash: '0011223344556677',
      expiration: drawn.expiration,
      timestamp: EXPIRATION - MINUTE_MS,
      feeLimit: drawn.feeLimit,
      data: drawn.data,
    }
    const raw = Buffer.concat([encodeRaw(transaction), Uint8Array.from(drawn.tail)])
    return {
      purpose: changed.purpose ?? plain.purpose,
      owner: drawn.owner ?? owner_address,
      position: changed.position ?? (owner_address === deposit ? 7n : null),
      payout: null,
      attempt: null,
      raw,
      txid: drawn.txid || txId(raw),
      expiresAt: new Date(EXPIRATION),
    }
  })

/**
 * A separate model of what may be signed, apart from the limits. Fails the test where it may not.
 */
function expectLawful({ purpose, position, raw, owner }: WaitingRow): bigint {
  const decoded = decodeRaw(raw)
  const { contract } = decoded
  expect(Buffer.from(encodeRaw(decoded)).equals(raw)).toBe(true)
  expect(decoded.data).toBe('')
  expect(decoded.expiration).toBe(EXPIRATION)
  expect(contract.value.owner_address).toBe(owner)
  if (contract.type === 'TransferContract') {
    const { amount, to_address, owner_address } = contract.value
    expect(contract.permissionId).toBeUndefined()
    expect(amount).toBeGreaterThanOrEqual(1n)
    if (purpose === 'sweep') {
      expect([owner_address, to_address]).toEqual([
        ring.depositAddressAt(Number(position)),
        ring.hot,
      ])
    } else {
      expect(purpose).toBe('payout')
      expect(owner_address).toBe(ring.hot)
      expect([ring.hot, stake]).not.toContain(to_address)
    }
    return amount
  }
  if (
    contract.type === 'FreezeBalanceV2Contract' ||
    contract.type === 'UnfreezeBalanceV2Contract'
  ) {
    const isFreeze = contract.type === 'FreezeBalanceV2Contract'
    expect(purpose).toBe(isFreeze ? 'freeze' : 'unfreeze')
    expect(owner).toBe(stake)
    expect(contract.permissionId).toBe(2)
    const amount = amountOf(raw)
    expect(amount).toBeGreaterThanOrEqual(isFreeze ? TRX : 1n)
    return amount
  }
  const isDelegation = contract.type === 'DelegateResourceContract'
  if (!isDelegation && contract.type !== 'UnDelegateResourceContract') {
    throw new Error(`${contract.type} was signed`)
  }
  expect(purpose).toBe(isDelegation ? 'delegate' : 'reclaim')
  expect(owner).toBe(stake)
  expect(contract.permissionId).toBe(2)
  expect(contract.value.resource).toBe('ENERGY')
  expect(contract.value).not.toHaveProperty('lock')
  expect(contract.value.balance).toBeGreaterThanOrEqual(isDelegation ? TRX : 1n)
  return contract.value.balance
}

const pause = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 20 * MINUTE_MS }) },
  { weight: 2, arbitrary: fc.integer({ min: HOUR_MS, max: 4 * HOUR_MS }) },
)
/** Every payout is approved: this test is about the limits. */
const desk = {
  knows: () => false,
  objectionTo: () => undefined,
  record: async () => true,
  treasury: () => new Map(),
  witnesses: () => new Set<string>(),
}
const signedByPurpose = new Map<string, number>()
const refusals = new Set<string>()

test('only lawful transactions within the limits are signed, and sums fall by time alone', async () => {
  const steps = fc.array(fc.record({ request: asked, wait: pause }), {
    minLength: 20,
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(steps, async (asks) => {
      let now = 1_700_000_000_000
      const sums = createSignedSums(() => now, capsOf(settings))
      const signed: { purpose: Limited; amount: bigint; at: number }[] = []
      const signedWithin = (purpose: Limited, ms: number) =>
        signed
          .filter((one) => one.purpose === purpose && one.at > now - ms)
          .reduce((total, { amount }) => total + amount, 0n)
      for (const [place, { request, wait }] of asks.entries()) {
        now += wait
        const before = sums.limits()
        const row = { ...request, id: String(place) }
        const { state, reason } = (await answer({ log: silentLog, ring, sums }, row, desk))!
        const after = sums.limits()
        if (state === 'signed') {
          const amount = expectLawful(row)
          signedByPurpose.set(row.purpose, (signedByPurpose.get(row.purpose) ?? 0) + 1)
          if (LIMITED.includes(row.purpose as Limited)) {
            signed.push({ purpose: row.purpose as Limited, amount, at: now })
          }
        } else refusals.add(reason!)
        for (const purpose of LIMITED) {
          const { hour, day } = after[purpose]
          expect(hour.signed).toBeGreaterThanOrEqual(before[purpose].hour.signed)
          expect(day.signed).toBeGreaterThanOrEqual(before[purpose].day.signed)
          expect(hour.signed).toBeGreaterThanOrEqual(signedWithin(purpose, HOUR_MS))
          expect(day.signed).toBeGreaterThanOrEqual(signedWithin(purpose, DAY_MS))
          expect(signedWithin(purpose, HOUR_MS)).toBeLessThanOrEqual(HOURLY[purpose])
          expect(signedWithin(purpose, DAY_MS)).toBeLessThanOrEqual(DAILY[purpose])
        }
      }
    }),
    // Shrinking sixty steps takes minutes, and the seed is as useful.
    { numRuns: 60, endOnFailure: true },
  )
})

// Check that some were signed: a run that refuses everything would prove nothing.
afterAll(() => {
  const purposes = ['delegate', 'freeze', 'payout', 'reclaim', 'sweep', 'unfreeze']
  expect([...signedByPurpose.keys()].sort()).toEqual(purposes)
  const reasons = [...refusals].join('\n')
  for (const reason of ['hourly limit', 'daily limit', 'less than', 'encodes to', 'permission']) {
    expect(reasons).toContain(reason)
  }
})
