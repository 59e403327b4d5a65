// Proves: signer, signing.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { txId } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ANN, BOB, type OwnSigner, openOwnSigner, type Wish } from '../testing/ownSigner.ts'
import { confirm, turnOn } from '../testing/recovery.ts'

// Somebody with the service's database role wants a recovery to be over, or a payout to be paid again.

let signer: OwnSigner
let hot: string
beforeEach(async () => {
  signer = await openOwnSigner()
  const [row] = await signer.database.sql<{ address: string }>(
    `select address from signing.address where purpose = 'hot'`,
  )
  hot = row!.address
})
afterEach(() => signer.close())

const file = () => join(signer.folder, 'payouts.jsonl')
function writeLine({ payout, attempt, expiration, txid }: Wish & { txid: string }) {
  const line = { kind: 'signed', payout, attempt, txid, expiration }
  writeFileSync(file(), `${readFileSync(file(), 'utf8')}${JSON.stringify(line)}\n`)
}
const seenOf = (answer: Awaited<ReturnType<typeof confirm>>) =>
  answer.confirmed ? [] : answer.unseen.map(({ txid }) => txid)

/** As the scanner records it. */
const find = (txid: string, to: string, { from = hot, amount = 5_000_000n } = {}) =>
  signer.app.query(
    `select signing.find_outflows(array[$1], array[$2], array[$3], array[$4::bigint], array['TransferContract'], 7,
       now(), 'found', now())`,
    [txid, from, to, amount],
  )
const book = (txid: string, payout: string) =>
  signer.app.query(
    `select signing.book_outflows(array[$1], array['payout'], array[$2::uuid], array[1::bigint])`,
    [txid, payout],
  )
const bookAs = (txid: string, what: string) =>
  signer.app.query(
    `select signing.book_outflows(array[$1], array[$2], array[null::uuid], array[null::bigint])`,
    [txid, what],
  )
async function paid(wish: Wish): Promise<string> {
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB)
  expect(await signer.ask(wish)).toBe('signed')
  const { rows } = await signer.app.query(`select txid from signing.request where payout_id = $1`, [
    wish.payout,
  ])
  return rows[0].txid
}

test('a theft that was booked as a payout is named by a person, or signing stays off', async () => {
  const theft = 'ab'.repeat(32)
  await find(theft, `41${'66'.repeat(20)}`)
  await book(theft, '00000000-0000-7000-8000-000000000001')
  expect(seenOf(await confirm(signer.database, signer.folder))).toEqual([theft])
  const [row] = await signer.database.sql(`select enabled from signing.switch`)
  expect(row).toEqual({ enabled: false })
  await expect(
    signer.app.query(`update signing.outflow set looked_at = now(), looked_by = 'ann'`),
  ).rejects.toMatchObject({ code: '42501' })
  await expect(signer.app.query(`update signing.switch set enabled = true`)).rejects.toMatchObject({
    code: '42501',
  })
})

test('bytes that were booked as a sweep are shown, and are not signed after a recovery either', async () => {
  const wish = signer.wish()
  const raw = signer.bytesOf(wish)
  const theft = txId(raw)
  await find(theft, hot, { from: `41${'77'.repeat(20)}` })
  await book(theft, wish.payout)
  expect(seenOf(await confirm(signer.database, signer.folder))).toEqual([theft])
  // The operator lets it pass: the line that it leaves in the signer's file is no signature of the signer.
  expect(await confirm(signer.database, signer.folder, [theft])).toMatchObject({ lines: 1 })
  expect(await signer.askBytes('payout', raw, wish)).toContain('the next attempt of this payout is')
})

test('what was booked for other facts than those of the chain is open again, and shown', async () => {
  const theft = 'ab'.repeat(32)
  await find(theft, hot, { from: `41${'77'.repeat(20)}` })
  await bookAs(theft, 'sweep to the hot wallet')
  await find(theft, `41${'66'.repeat(20)}`)
  const answer = await confirm(signer.database, signer.folder)
  expect(answer).toMatchObject({ unseen: [{ txid: theft, address: hot, bookedAs: null }] })
  // The same facts in another block change nothing of what was booked.
  await bookAs(theft, 'payout')
  await find(theft, `41${'66'.repeat(20)}`)
  const again = await confirm(signer.database, signer.folder)
  expect(again).toMatchObject({ unseen: [{ txid: theft, bookedAs: 'payout' }] })
})

test('the operator says how many findings are cleared without a name', async () => {
  const sweep = 'ab'.repeat(32)
  await find(sweep, hot, { from: `41${'77'.repeat(20)}` })
  await bookAs(sweep, 'sweep to the hot wallet')
  const refused = await confirm(signer.database, signer.folder)
  expect(refused).toMatchObject({ why: expect.stringContaining('1 findings of together 5 TRX') })
  expect(await confirm(signer.database, signer.folder, [], 2)).toMatchObject({ confirmed: false })
  expect(await confirm(signer.database, signer.folder, [], 1)).toMatchObject({
    confirmed: true,
    rebuilt: false,
  })
})

test('without the signer’s files nothing is confirmed; without findings the switch stays off', async () => {
  await signer.app.query(`select signing.turn_off('an incident')`)
  expect(await confirm(signer.database, '')).toMatchObject({ confirmed: false })
  expect(await confirm(signer.database, signer.folder)).toMatchObject({ findings: 0 })
  const [row] = await signer.database.sql(`select enabled, reason from signing.switch`)
  expect(row).toEqual({ enabled: false, reason: 'an incident' })
})

test('a new file that is not the first, and one that lacks a transfer of the hot wallet, wait a day', async () => {
  rmSync(signer.folder, { recursive: true })
  signer.begin({ isFirst: false })
  const wish = signer.wish()
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB)
  expect(await signer.ask(wish)).toContain('was rebuilt')
  rmSync(signer.folder, { recursive: true })
  signer.begin()
  await find('ab'.repeat(32), wish.to)
  const seen = ['ab'.repeat(32)]
  expect(await confirm(signer.database, signer.folder, seen)).toMatchObject({ rebuilt: true })
  expect(readFileSync(file(), 'utf8')).toContain('"rebuilt"')
})

test('a line of the signer’s file lets its bytes be signed again for its own payout and attempt only', async () => {
  const wish = signer.wish()
  const raws = [1, 2, 3].map(() => signer.bytesOf(wish)) as [Uint8Array, Uint8Array, Uint8Array]
  // As after a restore: signed, and the database has no request.
  for (const raw of raws) writeLine({ ...wish, txid: txId(raw) })
  const other = { ...wish, payout: signer.wish().payout }
  expect(await signer.askBytes('payout', raws[0], other)).toContain('two approvals')
  expect(await signer.askBytes('payout', raws[1], { ...wish, attempt: 2 })).toContain('attempt 2')
  expect(await signer.askBytes('payout', raws[2], wish)).toBe('signed')
})

test('what the signer’s own file has is confirmed, but not as another payout', async () => {
  const wish = signer.wish()
  const txid = await paid(wish)
  await find(txid, wish.to)
  await book(txid, '00000000-0000-7000-8000-000000000001')
  expect(await confirm(signer.database, signer.folder, [txid])).toMatchObject({
    confirmed: false,
    why: expect.stringContaining(wish.payout),
  })
  await signer.database.sql(`update signing.outflow set payout_id = $1`, [wish.payout])
  expect(await confirm(signer.database, signer.folder, [], 1)).toMatchObject({
    confirmed: true,
    findings: 1,
    lines: 0,
    rebuilt: false,
  })
})

test('a booking as another payout holds up no recovery: the operator settles it by itself', async () => {
  const wish = signer.wish()
  const [txid, sweep] = [await paid(wish), 'ab'.repeat(32)]
  await find(txid, wish.to)
  await book(txid, '00000000-0000-7000-8000-000000000001')
  await find(sweep, hot, { from: `41${'77'.repeat(20)}` })
  await bookAs(sweep, 'sweep to the hot wallet')
  expect(await turnOn(signer.database, [txid])).toMatchObject([{ txid: sweep }])
  const [row] = await signer.database.sql(`select enabled from signing.switch`)
  expect(row).toEqual({ enabled: false })
  expect(await confirm(signer.database, signer.folder, [], 1)).toMatchObject({ findings: 1 })
  // The signer's own line stays the word on its payout, and the other one has got none.
  expect(readFileSync(file(), 'utf8')).not.toContain('recovered')
})

test('a lost file is rebuilt from what was signed; nothing is paid again, and nothing at all for a day', async () => {
  const wish = signer.wish()
  const txid = await paid(wish)
  rmSync(file())
  expect(await confirm(signer.database, signer.folder)).toMatchObject({ lines: 1, rebuilt: true })
  const text = readFileSync(file(), 'utf8')
  expect(text).toContain(txid)
  // Again, as after a crash: nothing is written twice.
  expect(await confirm(signer.database, signer.folder)).toMatchObject({ lines: 0, rebuilt: false })
  expect(readFileSync(file(), 'utf8')).toBe(text)
  const other = signer.wish()
  signer.clock.ms = Date.now()
  await signer.approve(other, ANN)
  await signer.approve(other, BOB)
  expect(await signer.ask({ ...other, expiration: signer.clock.ms + 60_000 })).toContain(
    'was rebuilt',
  )
  signer.clock.ms += 24 * 3_600_000 + 60_000
  const again = { ...wish, expiration: signer.clock.ms + 60_000 }
  await signer.approve(again, ANN)
  await signer.approve(again, BOB)
  expect(await signer.ask(again)).toContain('the next attempt of this payout is 2')
})

test('a signer that starts answers nothing before a scanner has asked a node and is near', async () => {
  const asked = signer.wish()
  await signer.approve(asked, ANN)
  await signer.approve(asked, BOB)
  await signer.database.sql(`update chain.head set block_time = block_time + interval '2 days'`)
  await signer.restart()
  expect(await signer.ask(asked)).toBe('no answer')
  await signer.database.sql(`update chain.cursor set block_time = block_time + interval '2 days'`)
  await signer.answerRequests()
  const [row] = await signer.database.sql(`select state from signing.answer`)
  expect(row).toEqual({ state: 'signed' })
})

test('a payout in the file that the database does not know may still be mined: the signer waits', async () => {
  const expiration = signer.clock.ms + 120_000
  writeLine({ ...signer.wish({ expiration }), txid: 'cd'.repeat(32) })
  await signer.database.sql(`update chain.cursor set solid_time = $1`, [new Date(signer.clock.ms)])
  await signer.restart()
  const wish = signer.wish()
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB)
  expect(await signer.ask(wish)).toBe('no answer')
  await signer.database.sql(`update chain.cursor set solid_time = $1`, [new Date(expiration + 1)])
  await signer.answerRequests()
  const [row] = await signer.database.sql(`select state from signing.answer`)
  expect(row).toEqual({ state: 'signed' })
})
