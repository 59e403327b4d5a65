// Proves: signer, signing.
import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toBase58 } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTrust, writeTrust } from '../../service/signer/trust.ts'
import { type Change, changed } from '../../service/signer/trustChange.ts'
import { publicKeyOf } from '../../service/signing/index.ts'
import { ANN, BOB, CHAIN, type OwnSigner, openOwnSigner, type Wish } from '../testing/ownSigner.ts'
import { turnOn } from '../testing/turnOn.ts'

// An attacker with the service's database role writes whatever it can. TRX leaves the hot wallet
// only with signatures of operators' own keys, or to places in the signer's own file.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TRX = 1_000_000n
let signer: OwnSigner
beforeEach(async () => {
  signer = await openOwnSigner()
})
afterEach(() => signer.close())

function newKey() {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('hex')
  return { key: publicKeyOf(seed), privateKey: seed }
}

/** Changes the file on the signer's machine. */
function change(wanted: Change) {
  const done = changed(readTrust(signer.folder), wanted, { now: signer.clock.ms })
  if ('refused' in done) throw new Error(done.refused)
  writeTrust(signer.folder, done.trust)
}

async function approved(changes: Partial<Wish> = {}) {
  const wish = signer.wish(changes)
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB)
  return wish
}

test('without approvals nothing leaves, however it is asked for', async () => {
  const wish = signer.wish()
  expect(await signer.ask(wish)).toContain('needs two approvals')
  expect(
    await signer.ask({ ...wish, payout: undefined as never, attempt: undefined as never }),
  ).toBe('a payout names its id and its attempt')
  expect(await signer.ask(wish, 'treasury')).toContain('only to destinations')
  expect(await signer.ask(wish, 'sweep')).toContain('nowhere else')
  const thief = newKey()
  await signer.approve(wish, thief)
  await signer.approve(wish, newKey())
  expect(await signer.ask(wish)).toContain('this attempt has none')
  await signer.approve(wish, ANN)
  expect(await signer.ask(wish)).toContain('approval of a second operator')
  await signer.approve(wish, BOB)
  expect(await signer.ask(wish)).toBe('signed')
})

test.each<[string, Parameters<OwnSigner['approve']>[2]]>([
  ['another chain', { chain: CHAIN.replace('ab', 'cd') }],
  ['another hot wallet', { hot: toBase58(`41${'77'.repeat(20)}`) }],
  ['another payout', { payout: '01930000-0000-7000-8000-000000000001' }],
  ['another attempt', { attempt: 2 }],
  ['a smaller amount', { amountSun: 4_999_999n }],
  ['another destination', { to: toBase58(`41${'77'.repeat(20)}`) }],
])('an approval of %s is no approval', async (_what, changes) => {
  const wish = signer.wish()
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB, changes)
  expect(await signer.ask(wish)).toContain('signature is of something else')
})

test('an approval ends, at most 24 hours ahead and not before the bytes', async () => {
  const wish = signer.wish()
  await signer.approve(wish, ANN)
  const until = (ms: number) => signer.approve(wish, BOB, { ends: new Date(signer.clock.ms + ms) })
  await until(0)
  expect(await signer.ask(wish)).toContain('has ended')
  await until(DAY_MS + 1)
  expect(await signer.ask(wish)).toContain('more than 24 hours')
  await until(60_000)
  expect(await signer.ask(wish)).toContain('before the bytes expire')
  // The signer does not use the database's clock.
  await signer.database.sql(`update db.clock set ahead_ms = ${30 * DAY_MS}`)
  await until(DAY_MS)
  expect(await signer.ask(wish)).toBe('signed')
})

test('two keys of one operator count once', async () => {
  const second = newKey()
  change({ add: 'key', operator: ANN.email, key: second.key })
  signer.clock.ms += DAY_MS
  const wish = signer.wish()
  await signer.approve(wish, ANN)
  await signer.approve(wish, second)
  expect(await signer.ask(wish)).toContain('approval of a second operator')
})

test('a new key and a new destination wait a day; a removed key is worth nothing at once', async () => {
  const carol = newKey()
  const to = `41${'88'.repeat(20)}`
  change({ add: 'key', operator: 'carol@example.com', key: carol.key })
  change({ add: 'destination', address: toBase58(to) })
  signer.clock.ms += DAY_MS - 1
  const wish = signer.wish({ to })
  await signer.approve(wish, carol)
  expect(await signer.ask(wish)).toContain('this attempt has none')
  await signer.approve(wish, ANN)
  expect(await signer.ask(wish)).toContain('approval of a second operator')
  signer.clock.ms += 1
  change({ remove: 'key', key: ANN.key })
  change({ remove: 'key', key: carol.key })
  expect(await signer.ask(wish)).toContain('needs one approval; this attempt has none')
  await signer.approve(wish, BOB)
  expect(await signer.ask(wish)).toBe('signed')
})

test('one live signature for one payout, whatever is asked', async () => {
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  expect(await signer.ask(wish)).toContain('the next attempt of this payout is 2')
  const second = { ...wish, attempt: 2, expiration: wish.expiration + 2 * HOUR_MS }
  const endsLate = { ends: new Date(signer.clock.ms + 5 * HOUR_MS) }
  for (const operator of [ANN, BOB]) await signer.approve(second, operator, endsLate)
  signer.clock.ms = wish.expiration + HOUR_MS - 1
  expect(await signer.ask(second)).toContain('an hour after the last one expired')
  expect(await signer.ask({ ...second, attempt: 3 })).toContain('is 2')
  signer.clock.ms += 1
  await signer.restart()
  expect(await signer.ask(second)).toBe('signed')
  expect(await signer.ask(second)).toContain('is 3')
})

test('the approvals of the first attempt are worth nothing for the second', async () => {
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  signer.clock.ms = wish.expiration + HOUR_MS
  const again = { ...wish, attempt: 2, expiration: signer.clock.ms + 1 }
  expect(await signer.ask(again)).toContain('needs two approvals')
})

const log = () => join(signer.folder, 'payouts.jsonl')

test('while the kill switch is off the signer answers nothing; what waited is signed afterwards', async () => {
  const wish = await approved()
  await signer.app.query(`select signing.turn_off('a test')`)
  expect(await signer.ask(wish)).toBe('no answer')
  await signer.restart()
  expect(await signer.answerRequests()).toBe(0)
  expect(readFileSync(log(), 'utf8')).not.toContain(wish.payout)
  await turnOn(signer.database)
  expect(await signer.answerRequests()).toBe(1)
  expect(await signer.database.sql(`select state from signing.answer`)).toEqual([
    { state: 'signed' },
  ])
})

test('a signer without its file, or with an old one, signs no payout', async () => {
  copyFileSync(log(), `${log()}.old`)
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  copyFileSync(log(), `${log()}.good`)
  const other = await approved()

  rmSync(log())
  expect(await signer.ask(other)).toContain('missing or unreadable')
  copyFileSync(`${log()}.old`, log())
  expect(await signer.ask(other)).toContain('older than the database')
  await signer.restart()
  expect(await signer.ask(other)).toContain('older than the database')
  writeFileSync(log(), `${readFileSync(`${log()}.good`, 'utf8')}nonsense\n`)
  expect(await signer.ask(other)).toContain('cannot be understood in line 3')
  // Half a line at the end, as a crash leaves it: its signature was never sent.
  writeFileSync(log(), `${readFileSync(`${log()}.good`, 'utf8')}{"kind":"signed","pay`)
  expect(await signer.ask(other)).toBe('signed')
  expect(readFileSync(log(), 'utf8').split('\n')).toHaveLength(4)
})

const cancel = (payout: string) =>
  signer.app.query(`insert into signing.cancellation (payout_id, asked_at) values ($1, now())`, [
    payout,
  ])
const isRecorded = async () =>
  (await signer.database.sql(`select from signing.cancellation where recorded_at is not null`))
    .length > 0

test('a cancellation stays in the file, also where the database forgets it', async () => {
  const wish = await approved()
  await cancel(wish.payout)
  expect(await signer.ask(wish)).toBe('this payout was cancelled')
  const recorded = `update signing.cancellation set recorded_at = now()`
  await expect(signer.app.query(recorded)).rejects.toMatchObject({ code: '42501' })
  await signer.database.sql(`delete from signing.cancellation`)
  await signer.restart()
  expect(await signer.ask(wish)).toBe('this payout was cancelled')
})

test('cancelled too late: what was signed stays what it was, and there is no second attempt', async () => {
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  await cancel(wish.payout)
  signer.clock.ms = wish.expiration + HOUR_MS
  const again = await approved({ ...wish, attempt: 2, expiration: signer.clock.ms + 1 })
  expect(await signer.ask(again)).toBe('this payout was cancelled')
})

test('killed between line and answer, then cancelled: the signature counts as one that has left', async () => {
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  await signer.database.sql(`delete from signing.answer`)
  await cancel(wish.payout)
  await signer.restart()
  await signer.answerRequests()
  expect(await isRecorded()).toBe(false)
  expect(await signer.database.sql(`select state from signing.answer`)).toEqual([
    { state: 'signed' },
  ])
  await signer.answerRequests()
  expect(await isRecorded()).toBe(true)
})

test('a cancellation that cannot be written holds nobody up, and is written later', async () => {
  const wish = await approved()
  await cancel(wish.payout)
  signer.failsAt = 'signer.beforeCancellation'
  expect(await signer.ask(signer.wish(), 'treasury')).toContain('only to destinations')
  expect(await isRecorded()).toBe(false)
  signer.failsAt = undefined
  expect(await signer.ask(wish)).toBe('this payout was cancelled')
  expect(await isRecorded()).toBe(true)
})

test('a database that was restored cannot have a payout cancelled that it forgot', async () => {
  const wish = await approved()
  expect(await signer.ask(wish)).toBe('signed')
  await signer.database.sql(`delete from signing.answer; delete from signing.request`)
  await cancel(wish.payout)
  await signer.answerRequests()
  expect(await isRecorded()).toBe(false)
})

test('bytes that have expired are not signed: they would use up the attempt', async () => {
  const wish = await approved()
  signer.clock.ms = wish.expiration
  expect(await signer.ask(wish)).toBe('the bytes have expired')
  expect(await signer.ask({ ...wish, expiration: signer.clock.ms + 60_000 })).toBe('signed')
})

test.each(['signer.beforeLine', 'signer.afterLine'])(
  'a write that fails at %s is no answer: the next look signs these bytes and no others',
  async (step) => {
    const wish = await approved()
    signer.failsAt = step
    expect(await signer.ask(wish)).toBe('no answer')
    // Other requests are answered meanwhile.
    expect(await signer.ask(signer.wish(), 'treasury')).toContain('only to destinations')
    signer.failsAt = undefined
    await signer.answerRequests()
    const states = await signer.database.sql(`select state from signing.answer order by state`)
    expect(states).toEqual([{ state: 'refused' }, { state: 'signed' }])
    expect(await signer.ask(wish)).toContain('the next attempt of this payout is 2')
  },
)

test('the treasury pays to places in the file alone, each within its hour and its day', async () => {
  const cold = `41${'99'.repeat(20)}`
  const float = `41${'aa'.repeat(20)}`
  const move = (to: string, trx: bigint) =>
    signer.ask(signer.wish({ to, amount: trx * TRX }), 'treasury')
  const caps = { hourlyTrx: 100, dailyTrx: 150 }
  change({ add: 'treasury', address: toBase58(cold), ...caps })
  change({ add: 'treasury', address: toBase58(float), ...caps })
  expect(await move(cold, 1n)).toContain('only to destinations')
  signer.clock.ms += DAY_MS
  expect(await move(cold, 100n)).toBe('signed')
  expect(await move(cold, 1n)).toContain('hourly limit')
  expect(await move(float, 100n)).toBe('signed')
  expect(await move(`41${'bb'.repeat(20)}`, 1n)).toContain('only to destinations')
  signer.clock.ms += 2 * HOUR_MS
  await signer.restart()
  expect(await move(cold, 51n)).toContain('daily limit')
  expect(await move(cold, 50n)).toBe('signed')
  // A destination of the treasury is no destination of payouts.
  const wish = signer.wish({ to: cold })
  await signer.approve(wish, ANN)
  expect(await signer.ask(wish)).toContain('approval of a second operator')
  change({ remove: 'treasury', address: toBase58(float) })
  expect(await move(float, 1n)).toContain('only to destinations')
})
