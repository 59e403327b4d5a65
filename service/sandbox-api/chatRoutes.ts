import { getSandboxChat, type HandledRoute, handle, postSandboxChat, refuse } from '@ergon/contract'
import type { ChatWords, DevnetControl } from './devnet.ts'

const CHAT = /^-?\d{1,15}$/
const noChat = refuse('validation_error', { message: 'A chat is named by a whole number.' })

/** Chats of the stand-in of Telegram: sends messages to our bot and shows its answers. */
export function chatRoutes({ devnet }: { devnet: DevnetControl }): HandledRoute[] {
  return [
    handle(postSandboxChat, async (_caller, { params: { chat }, body }) =>
      CHAT.test(chat) ? devnet.sayInChat(chat, body as ChatWords) : noChat,
    ),
    handle(getSandboxChat, async (_caller, { params: { chat } }) =>
      CHAT.test(chat) ? devnet.readChat(chat) : noChat,
    ),
  ]
}
