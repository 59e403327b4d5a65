import { type Devnet, telegramToken } from '@ergon/devnet'
import type { TestApp } from './app.ts'
import { until } from './until.ts'
import type { Visitor } from './visitor.ts'

/** The chats of the devnet's Telegram stand-in. */
export function telegramOf({ telegramUrl }: Devnet) {
  return { telegram: { url: telegramUrl, token: telegramToken } }
}

/** Links a chat as a person does: sends the workspace's code in the chat. */
export async function linkChat(app: TestApp, visitor: Visitor, chat: string): Promise<string> {
  const before = (await visitor.call('GET', '/chats')).body.chats.length
  const { body } = await visitor.call('POST', '/chats/code')
  app.devnet.telegram.change(chat, {})
  app.devnet.telegram.say(chat, `/start ${body.code}`)
  const chats = await until('the chat is linked', async () => {
    const now = (await visitor.call('GET', '/chats')).body.chats
    return now.length > before && now
  })
  return chats[0].id
}
