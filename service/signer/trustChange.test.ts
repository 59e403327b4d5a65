import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicKeyOf, signText } from '../signing/index.ts'
import { createSignerFiles } from './init.ts'
import { isAllowedAt, operatorsAt, readTrust, writeTrust } from './trust.ts'
import { type Change, changed, textOfChange, WAIT_MS } from './trustChange.ts'

// Which keys the signer accepts, and how that changes.

const NOW = 1_800_000_000_000
const HOT = 'TKUwMQUhHTADfAtfG4gAHwXFGa3PYDieMJ'
const COLD = 'TAyLwcYDc9dVzR1mTUYufzwheeTzhagEH7'
const keyOf = (digit: string) => ({
  privateKey: digit.repeat(64),
  key: publicKeyOf(digit.repeat(64)),
})
const [ann, annsOther, bob, carol] = ['1', '2', '3', '4'].map(keyOf) as [
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
]

function newFiles() {
  const folder = join(mkdtempSync(join(tmpdir(), 'ergon-trust-')), 'signer')
  const keys = [
    { operator: 'ann@example.com', key: ann.key },
    { operator: 'ann@example.com', key: annsOther.key },
    { operator: 'bob@example.com', key: bob.key },
  ]
  createSignerFiles(folder, { chain: 'ab'.repeat(32), hot: HOT, keys, now: NOW, isFirst: true })
  return folder
}

const addCarol: Change = { add: 'key', operator: 'carol@example.com', key: carol.key }
const signedBy = (text: string, ...who: { key: string; privateKey: string }[]) =>
  who.map(({ key, privateKey }) => ({ key, signature: signText(text, privateKey) }))

function done(result: ReturnType<typeof changed>) {
  if ('refused' in result) throw new Error(result.refused)
  return result.trust
}

test('files are private and are not made twice', () => {
  const folder = newFiles()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder).sort()).toEqual(['payouts.jsonl', 'trust.json'])
  for (const file of readdirSync(folder)) {
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  }
  const again = { chain: 'ab'.repeat(32), hot: HOT, keys: [], now: NOW, isFirst: true }
  expect(() => createSignerFiles(folder, again)).toThrow('is not overwritten')
})

test('what one adds waits a day; what two operators sign holds at once, and once', () => {
  const trust = readTrust(newFiles())
  const alone = done(changed(trust, addCarol, { now: NOW }))
  expect(operatorsAt(alone, NOW + WAIT_MS - 1).has(carol.key)).toBe(false)
  expect(operatorsAt(alone, NOW + WAIT_MS).get(carol.key)).toBe('carol@example.com')

  const text = textOfChange(trust, addCarol)
  const both = signedBy(text, ann, bob)
  const together = done(changed(trust, addCarol, { now: NOW, signatures: both }))
  expect(operatorsAt(together, NOW).get(carol.key)).toBe('carol@example.com')
  const without = done(changed(together, { remove: 'key', key: carol.key }, { now: NOW }))
  expect(changed(without, addCarol, { now: NOW, signatures: both })).toMatchObject({
    refused: expect.stringContaining('does not fit'),
  })
})

test('two keys of one operator, a key that waits and a signature of something else are not two', () => {
  const trust = readTrust(newFiles())
  const text = textOfChange(trust, addCarol)
  const refusal = (...signatures: ReturnType<typeof signedBy>) =>
    changed(trust, addCarol, { now: NOW, signatures })
  expect(refusal(...signedBy(text, ann, annsOther))).toMatchObject({
    refused: expect.stringContaining('One operator'),
  })
  expect(refusal(...signedBy(text, ann, carol))).toMatchObject({
    refused: expect.stringContaining('not one that counts'),
  })
  const other = textOfChange(trust, { add: 'destination', address: COLD })
  expect(refusal(...signedBy(text, ann), ...signedBy(other, bob))).toMatchObject({
    refused: expect.stringContaining('does not fit'),
  })
})

test('a removal holds at once, and of nothing is refused', () => {
  const folder = newFiles()
  const trust = readTrust(folder)
  const allowed = done(changed(trust, { add: 'destination', address: COLD }, { now: NOW }))
  expect(isAllowedAt(allowed, COLD, NOW + WAIT_MS)).toBe(true)
  const gone = done(changed(allowed, { remove: 'destination', address: COLD }, { now: NOW }))
  expect(isAllowedAt(gone, COLD, NOW + WAIT_MS)).toBe(false)
  const lost = done(changed(gone, { remove: 'key', key: bob.key }, { now: NOW }))
  writeTrust(folder, lost)
  expect(readTrust(folder)).toEqual(lost)
  expect([...operatorsAt(lost, NOW).values()]).toEqual(['ann@example.com', 'ann@example.com'])
  expect(changed(lost, { remove: 'key', key: bob.key }, { now: NOW })).toHaveProperty('refused')
  expect(changed(lost, { remove: 'treasury', address: COLD }, { now: NOW })).toHaveProperty(
    'refused',
  )
  expect(lost.changes).toBe(3)
})

test('a place of the treasury gets whole TRX, from 1 to 999,999,999', () => {
  const folder = newFiles()
  const trust = readTrust(folder)
  const write = (hourlyTrx: number, dailyTrx: number) => () => {
    const change: Change = { add: 'treasury', address: COLD, hourlyTrx, dailyTrx }
    writeTrust(folder, done(changed(trust, change, { now: NOW })))
  }
  for (const trx of [0, 0.5, 1_000_000_000]) {
    expect(write(trx, 1)).toThrow('is not a file of the signer')
    expect(write(1, trx)).toThrow('is not a file of the signer')
  }
  write(1, 999_999_999)()
  expect(readTrust(folder).treasury).toMatchObject([{ hourlyTrx: 1, dailyTrx: 999_999_999 }])
})
