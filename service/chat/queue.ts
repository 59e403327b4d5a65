import type { Tx } from '../db/index.ts'
import type { Ids } from '../kernel/index.ts'
import { insertMessages, touchConversations } from './store.ts'

/** `account`: whose news it is; null for an answer to somebody in the chat. */
export type NewMessage = { app: string; address: string; account: string | null; text: string }

/** Said once this commits, in this order within a chat. */
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
