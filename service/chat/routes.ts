import {
  chatDefaults,
  deleteChat,
  getChats,
  type HandledRoute,
  handle,
  isRefusal,
  patchChat,
  postChatCode,
  postChatTest,
} from '@ergon/contract'
import type { Chat } from './chat.ts'
import type { ChatRow } from './chats.sql.ts'

export function chatRoutes({ chat }: { chat: Chat }): HandledRoute[] {
  return [
    handle(getChats, async ({ account }) => ({
      apps: chat.apps,
      chats: (await chat.list(account)).map(chatOf),
    })),
    handle(postChatCode, async ({ account }) => {
      const made = await chat.createCode(account)
      if (isRefusal(made)) return made
      const { code, expiresAt, invitations } = made
      return { code, expires_at: expiresAt.toISOString(), invitations }
    }),
    handle(patchChat, async ({ account }, { params, body: { events } }) => {
      const changed = await chat.change(account, params.id, events)
      return isRefusal(changed) ? changed : chatOf(changed)
    }),
    handle(deleteChat, ({ account }, { params }) => chat.remove(account, params.id)),
    handle(postChatTest, async ({ account }, { params }) => {
      const refusal = await chat.test(account, params.id)
      return refusal ?? { queued: true }
    }),
  ]
}

function chatOf({ id, app, name, types, createdAt }: ChatRow) {
  return {
    id,
    app,
    name,
    events: Object.fromEntries(
      Object.keys(chatDefaults).map((type) => [type, types.includes(type)]),
    ),
    created_at: createdAt.toISOString(),
  }
}
