// Proves: webhooks, mail.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, TEST_KEY, type TestApp } from '../testing/app.ts'
import { answering, openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { type MailServer, openMailServer } from '../testing/smtp.ts'
import { until } from '../testing/until.ts'
import { signUpWithoutLetter } from '../testing/visitor.ts'

// The owner of a webhook that was disabled gets an e-mail, also when the mail server is busy at
// first.

let app: TestApp
let receiver: Receiver
let server: MailServer
beforeAll(async () => {
  receiver = await openReceiver()
  server = await openMailServer()
  app = await openTestApp({
    webhooks: { secretsKey: TEST_KEY, network: testNetwork() },
    mail: { url: server.url, user: '', password: '', from: 'Ergon <ergon@example.com>' },
  })
})
afterAll(async () => {
  await app?.close()
  await receiver?.close()
  await server?.close()
})

test('the owner of a webhook that answers 410 gets an e-mail', async () => {
  server.answer(451)
  receiver.behave('/gone', answering(410))
  const owner = await signUpWithoutLetter(app)
  const { deposit_address } = (await owner.call('GET', '/account')).body
  const from = toBase58(app.devnet.chain.network.funded[0]!.address)
  const deposit = async (amount_sun: number) => {
    const body = { from, to: deposit_address, amount_sun }
    await app.call('POST', '/sandbox/chain/transfer', { body })
    app.devnet.chain.mine()
  }
  await deposit(2_000_000)
  await until('the deposit', async () => {
    return (await owner.call('GET', '/account')).body.balance_trx === '2'
  })
  const name = 'shop\r\nBcc: somebody@example.com'
  const url = receiver.url('/gone')
  expect((await owner.call('POST', '/webhooks', { name, url })).status).toBe(201)
  await deposit(1_000_000)
  await until('turned away once', () => server.turnedAway() === 1)
  const [waiting] = await app.database.sql<{ seconds: number }>(
    `select extract(epoch from due_at - clock_timestamp())::float8 as seconds from mail.letter`,
  )
  expect(waiting!.seconds).toBeGreaterThan(20)
  server.answer(250)
  await app.database.sql(`update mail.letter set due_at = '-infinity'`)
  const { to, data } = await until('a letter', () => server.letters[0])
  expect(to).toBe(owner.email)
  expect(data).toContain('Subject: A webhook was disabled')
  const [headers, text] = data.replaceAll('=\n', '').split(/\n\n(.*)/s)
  expect(headers).not.toContain('Bcc')
  expect(text).toContain('Your webhook "shop Bcc: somebody@example.com" at Ergon')
  expect(text).toContain('The receiver answered 410 Gone.')
  await until('it is gone from the queue', async () => {
    return (await app.database.sql(`select from mail.letter`)).length === 0
  })
  expect(server.letters).toHaveLength(1)
})
