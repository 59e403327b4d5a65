import type { Tx } from '../db/index.ts'
import type { Ids } from '../kernel/index.ts'
import { insertMessages, touchConversations } from './queue.sql.ts'

/** `account`: the account of the event; null for an answer to a command. */
export type NewMessage = { app: string; address: string; account: string | null; text: string }

/** Queues messages; they are sent after the commit, in this order within a chat. */
export async function queueMessages(tx: Tx, ids: Ids, messages: NewMessage[]): Promise<void> {
  if (messages.length === 0) return
  const apps = messages.map(({ app }) => app)
  const addresses = messages.map(({ address }) => address)
  await tx.query(insertMessages, [
    messages.map(() => ids.next()),
    apps,
    addresses,
    messages.map(({ account }) => account),
    messages.map(({ text }) => text),
  ])
  await tx.query(touchConversations, [apps, addresses])
}
