// Proves: chat, events.
import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { linkChat, telegramOf } from '../testing/chat.ts'
import { until } from '../testing/until.ts'
import { signUp, type Visitor } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'

// A client links a chat of a messaging app and gets its notifications there, in plain words.

let devnet: Devnet
let app: TestApp
beforeAll(async () => {
  devnet = await openDevnet()
  app = await openTestApp({ devnet, chat: telegramOf(devnet) })
  // Retry: an invitation does not wait long, so on a busy machine the first may lack the bot's
  // name.
  await until('the name of the bot', async () => {
    const { body } = await (await signUp(app.url)).call('POST', '/chats/code')
    return body.invitations[0].url.includes('ergon_bot')
  })
})
afterAll(async () => {
  await app?.close()
  await devnet?.close()
})

let chats = 100
const newChat = () => {
  const chat = String(++chats)
  devnet.telegram.change(chat, {})
  return chat
}
const texts = (chat: string) => devnet.telegram.messages(chat).map(({ text }) => text)
const received = (chat: string, part: string) =>
  until(`"${part}" in ${chat}`, () => texts(chat).find((text) => text.includes(part)))
const accountOf = async (visitor: Visitor) =>
  (await visitor.call('GET', '/session')).body.account_id as string

let facts = 0
async function happen(account: string, amount = 1n, times = 1) {
  const post = () => ({
    client: account,
    kind: 'adjustment' as const,
    reference: `fact ${++facts}`,
    amount: sun(amount),
    counter: 'equity:operator' as const,
    description: 'a gift',
    trace: 'test',
  })
  const postings = Array.from({ length: times }, post)
  await app.db.transaction((tx) => app.rooms.ledger.post(tx, postings))
}

/** An event as its room would write it. */
async function emit(account: string, type: string, data: object) {
  const event = { account, type, subject: `fact ${++facts}`, trace: 'test', data }
  await app.db.transaction((tx) => app.rooms.events.emit(tx, [event as never]))
}

test('a code sent in the chat links it, once; then it gets the default notifications', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const made = await visitor.call('POST', '/chats/code')
  expect(made.status).toBe(201)
  const { code, invitations, expires_at } = made.body
  expect(code).toMatch(/^[2-9A-Z]{12}$/)
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now())
  expect(invitations).toEqual([
    { app: 'telegram', command: `/start ${code}`, url: `https://t.me/ergon_bot?start=${code}` },
  ])
  const chat = newChat()
  devnet.telegram.change(chat, { name: 'Ops\u202e\n<b>room</b>' })
  devnet.telegram.say(chat, `/start ${code.toLowerCase()}`)
  await received(chat, 'now receives the news')
  const { body } = await visitor.call('GET', '/chats')
  expect(body.apps).toEqual(['telegram'])
  expect(body.chats).toHaveLength(1)
  expect(body.chats[0]).toMatchObject({ app: 'telegram', name: 'Ops <b>room</b>' })
  const { events } = body.chats[0]
  for (const type of ['agent.sale', 'agent.payment_skipped', 'webhook.disabled']) {
    expect([type, events[type]]).toEqual([type, true])
  }
  expect(events['balance.changed']).toBe(false)

  await happen(account, 2_500_000n)
  await received(chat, 'Credited: 2.5 TRX (adjustment). Balance 2.5 TRX.')
  expect(texts(chat).join()).not.toContain('Balance changed')

  const thief = newChat()
  devnet.telegram.say(thief, `/start ${code}`)
  await received(thief, 'not valid')
  expect((await visitor.call('GET', '/chats')).body.chats).toHaveLength(1)
})

test('a code ends after ten minutes, and with the next one', async () => {
  const visitor = await signUp(app.url)
  const first = (await visitor.call('POST', '/chats/code')).body.code
  const second = (await visitor.call('POST', '/chats/code')).body.code
  const chat = newChat()
  devnet.telegram.say(chat, `/start ${first}`)
  await received(chat, 'not valid')
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 601 } })
  devnet.telegram.say(chat, `/start ${second}`)
  await until('both are refused', () => texts(chat).join().split('not valid').length === 3)
  expect((await visitor.call('GET', '/chats')).body.chats).toEqual([])
})

test('guessing: after five tries a chat gets no answer, not even to the right code', async () => {
  const visitor = await signUp(app.url)
  const chat = newChat()
  for (let guess = 0; guess < 5; guess++) devnet.telegram.say(chat, '/start AAAAAAAAAAAA')
  await until('five answers', () => texts(chat).join().split('not valid').length === 6)
  const { code } = (await visitor.call('POST', '/chats/code')).body
  devnet.telegram.say(chat, `/start ${code}`)
  const other = newChat()
  devnet.telegram.say(other, '/start AAAAAAAAAAAA')
  await received(other, 'not valid')
  expect((await visitor.call('GET', '/chats')).body.chats).toEqual([])
  const codes = async () => (await visitor.call('POST', '/chats/code')).status
  for (let more = 0; more < 9; more++) expect(await codes()).toBe(201)
  expect(await codes()).toBe(429)
})

test('switches, test message, removal, /stop', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const [one, two] = [newChat(), newChat()]
  const first = await linkChat(app, visitor, one)
  await linkChat(app, visitor, two)
  const off = { events: { 'balance.credited': false, 'balance.changed': true } }
  const changed = await visitor.call('PATCH', `/chats/${first}`, off)
  expect(changed.body.events).toMatchObject({ 'balance.credited': false, 'balance.changed': true })
  const unknown = await visitor.call('PATCH', `/chats/${first}`, { events: { 'no.such': true } })
  expect(unknown.status).toBe(422)
  await happen(account)
  await received(one, 'Balance changed by 0.000001 TRX')
  await received(two, 'Credited: 0.000001 TRX')
  expect(texts(one).join()).not.toContain('Credited')
  expect((await visitor.call('POST', `/chats/${first}/test`)).body).toEqual({ queued: true })
  await received(one, 'This is a test')
  expect((await visitor.call('DELETE', `/chats/${first}`)).status).toBe(204)
  await happen(account)
  await until('a second one in the other', () => texts(two).join().split('Credited').length === 3)
  expect(texts(one).join().split('Balance changed').length).toBe(2)
  devnet.telegram.say(two, '/stop@ergon_bot')
  await received(two, 'receives nothing more')
  expect((await visitor.call('GET', '/chats')).body.chats).toEqual([])
})

test('what others wrote travels as text, on one line', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const chat = newChat()
  await linkChat(app, visitor, chat)
  const payer = devnet.url.slice(0, 10)
  const nasty = '<b>*Corner*_shop_`</b>\n[x](https://evil.example)\u202e'
  await emit(account, 'agent.payment_skipped', {
    config_id: 'c',
    public_id: 'p',
    title: nasty,
    payer,
    amount_sun: 3_000_000,
    reason: 'below_base',
    paused: true,
    tx_hash: 'abc',
  })
  const skipped = await received(chat, 'Payment skipped')
  expect(skipped).toBe(
    `Payment skipped at “<b>*Corner*_shop_\`</b> [x](https://evil.example)” (below_base): 3 TRX from ${payer}. Your configurations were paused.\nabc`,
  )
  const data = { webhook_id: 'w', name: 'shop', reason: 'The receiver answered 410 Gone.' }
  await emit(account, 'webhook.disabled', data)
  await received(chat, 'Webhook “shop” was disabled. The receiver answered 410 Gone.')
})

test('a chat that blocks us is unlinked; others are not delayed by one that hangs or floods', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const [blocked, slow, busy, fine] = [newChat(), newChat(), newChat(), newChat()]
  for (const chat of [blocked, slow, busy, fine]) await linkChat(app, visitor, chat)
  for (const chat of [blocked, slow, busy, fine]) await received(chat, 'now receives the news')
  devnet.telegram.change(blocked, { answer: 'blocked' })
  devnet.telegram.change(slow, { answer: 'hang' })
  devnet.telegram.change(busy, { answer: 'flood' })
  await happen(account, 7n)
  await received(fine, 'Credited: 0.000007 TRX')
  await until('three chats are left', async () => {
    const { body } = await visitor.call('GET', '/chats')
    return body.chats.length === 3
  })
  await until('the flood was noticed', () => devnet.telegram.refusals(busy) > 0)
  const [held] = await app.database.sql<{ seconds: number }>(
    `select extract(epoch from open_at - clock_timestamp())::float8 as seconds
       from chat.conversation where address = $1`,
    [busy],
  )
  expect(held!.seconds).toBeLessThanOrEqual(2)
  devnet.telegram.change(busy, { answer: 'ok' })
  await received(busy, 'Credited: 0.000007 TRX')
  devnet.telegram.change(slow, { answer: 'ok' })
  await until(
    'the hanging one was given up and tried again',
    () => texts(slow).some((text) => text.includes('Credited: 0.000007 TRX')),
    30_000,
  )
})

test('a hundred events in a moment: all are sent once, in at most one message a second', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const chat = newChat()
  await linkChat(app, visitor, chat)
  await received(chat, 'now receives the news')
  await happen(account, 1n, 100)
  await until('all hundred', () => texts(chat).join().split('Credited').length === 101)
  const balances = texts(chat)
    .join()
    .matchAll(/Balance ([\d.]+) TRX/g)
  expect(new Set([...balances].map(([, balance]) => balance)).size).toBe(100)
  const times = devnet.telegram.messages(chat).map(({ sent_at }) => Date.parse(sent_at))
  for (const [index, at] of times.entries()) {
    if (index > 0) expect(at - times[index - 1]!).toBeGreaterThanOrEqual(900)
  }
})

test('sixty chats at once: never more than thirty messages in a second', async () => {
  const many = Array.from({ length: 60 }, newChat)
  await app.database.sql(
    `insert into chat.message (id, app, address, text, queued_at)
     select gen_random_uuid(), 'telegram', a, 'news', clock_timestamp() from unnest($1::text[]) a`,
    [many],
  )
  await app.database.sql(
    `insert into chat.conversation (app, address, due_at) select 'telegram', a, clock_timestamp() from unnest($1::text[]) a`,
    [many],
  )
  await until('all have a message', () => many.every((chat) => texts(chat).length === 1))
  const times = many
    .map((chat) => Date.parse(devnet.telegram.messages(chat)[0]!.sent_at))
    .sort((a, b) => a - b)
  for (const [index, at] of times.entries()) {
    const before = times[index - 30]
    if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(1_000)
  }
})

test('two processes: one sends, and when it has ended the other does', async () => {
  const visitor = await signUp(app.url)
  const account = await accountOf(visitor)
  const chat = newChat()
  await linkChat(app, visitor, chat)
  const shared = { database: app.database, devnet }
  const second = await openTestApp({ ...shared, role: 'worker', chat: telegramOf(devnet) })
  const holder = async () =>
    (await app.database.sql<{ owner: string | null }>(`select owner from chat.lease`))[0]?.owner
  const before = await holder()
  for (const loop of app.rooms.chat.loops) await loop.stop()
  await until('the other has taken over', async () => {
    const now = await holder()
    return now !== null && now !== before
  })
  await happen(account, 5n)
  await received(chat, 'Credited: 0.000005 TRX')
  expect(texts(chat).join().split('0.000005 TRX (').length).toBe(2)
  await second.close()
})
