import { openDb } from '../../service/db/index.ts'
import type { Deposits } from '../../service/deposits/index.ts'
import { createEvents } from '../../service/events/index.ts'
import { createAccounts } from '../../service/identity/index.ts'
import { createLog, systemRuntime } from '../../service/kernel/index.ts'
import { createMail } from '../../service/mail/index.ts'
import { createWebhooks } from '../../service/webhooks/index.ts'
import { testNetwork } from '../testing/receiver.ts'
import { profileWhenAsked } from './profile.ts'

// The rooms that send, as a worker has them, with one webhook for each account given.
const [databaseUrl, port, ...owners] = process.argv.slice(2) as [string, string, ...string[]]
const runtime = systemRuntime()
const log = createLog('warn')
const db = await openDb({ urls: [databaseUrl], connections: 20, runtime, log, name: 'ergon-bench' })
const events = createEvents({ db, runtime, log })
await events.prepare()
// The bench has no deposits.
const deposits = { confirmedTotal: async () => 2_000_000n } as unknown as Deposits
const accounts = createAccounts({ db, runtime, onAccount: [] })
const mail = createMail({ db, runtime, log, options: undefined })
const options = { secretsKey: new Uint8Array(32), network: testNetwork() }
const cursorSecret = async () => new Uint8Array(32)
const rooms = { db, runtime, log, events, accounts, deposits, mail, cursorSecret }
const webhooks = createWebhooks({ ...rooms, options })
for (const account of owners) {
  await webhooks.create(account, {
    name: 'bench',
    url: `https://hooks.receiver.test:${port}/ours`,
    events: { 'balance.credited': true },
  })
}
for (const loop of webhooks.loops) loop.start()
// While held, events are queued as deliveries and not sent; when released, the worker starts at
// once.
process.on('message', async (word: unknown) => {
  if (word !== 'hold' && word !== 'go') return
  await webhooks.setSending(word === 'go', word === 'go' ? null : 'bench')
  if (word === 'go') for (const loop of webhooks.loops) loop.wake()
  process.send!(word)
})
const writeProfile = profileWhenAsked()
process.once('disconnect', async () => {
  await writeProfile()
  await Promise.all(webhooks.loops.map((loop) => loop.stop()))
  await db.close()
  process.exit(0)
})
process.send!('ready')
