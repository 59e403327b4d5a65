// Proves: chat.
import { expect, test } from 'vitest'
import { linkChat } from '../testing/chat.ts'
import { createTestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { signUp } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'
import { happen, startWorker } from './killableWorker.ts'

// kill -9 while messages are sent to chats: each arrives at least once, and only the message that
// was being sent, one per chat, may arrive twice.

const CHATS = ['901', '902', '903']
const EVENTS = 100

test('kill -9 of the worker that sends to chats', async () => {
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  let worker = await startWorker(database, devnet)
  const received = (chat: string) =>
    devnet.telegram
      .messages(chat)
      .filter(({ text }) => text.startsWith('Credited'))
      .map(({ text }) => text.split('\n\n'))
  try {
    const visitor = await signUp(worker.url)
    const account = (await visitor.call('GET', '/session')).body.account_id as string
    for (const chat of CHATS) await linkChat({ devnet } as never, visitor, chat)
    await happen(database, account, EVENTS)
    await until('some messages are sent', () => CHATS.some((chat) => received(chat).length > 0))
    await worker.kill()
    const before = new Map(CHATS.map((chat) => [chat, received(chat)]))
    worker = await startWorker(database, devnet)
    await until(
      'all messages are sent',
      async () => (await database.sql('select from chat.message')).length === 0,
      40_000,
    )
    for (const chat of CHATS) {
      const lines = received(chat).flat()
      expect(new Set(lines).size).toBe(EVENTS)
      const earlier = before.get(chat)!
      const later = new Set(received(chat).slice(earlier.length).flat())
      const again = earlier.map((message) => message.some((line) => later.has(line)))
      // Only the last message before the kill may be repeated: the earlier ones were recorded.
      expect(again.slice(0, -1)).toEqual(again.slice(0, -1).fill(false))
    }
  } finally {
    await worker.kill()
    await devnet.close()
    await database.drop()
  }
})
