import { Type } from 'typebox'
import { chatDefaults, EventSwitches, type EventType } from './events.ts'
import { TimeField } from './fields.ts'
import { defineRoute } from './route.ts'

/** Chats of messaging apps that are told of events. */
const group = 'Chat'

const Chat = Type.Object({
  id: Type.String({ format: 'uuid' }),
  app: Type.String({ description: 'telegram; expect others.' }),
  name: Type.String({ description: 'What the chat is called in its app.' }),
  events: Type.Unsafe<Record<string, boolean>>({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    description: 'Event type to whether it is told.',
  }),
  created_at: TimeField('When it was linked.'),
})

const chatId = Type.Object({ id: Type.String({ description: 'Chat id.' }) })

export const getChats = defineRoute({
  name: 'getChats',
  method: 'GET',
  path: '/chats',
  auth: 'session',
  group,
  summary: 'Linked chats, newest first',
  reply: {
    status: 200,
    description: 'All of the account.',
    schema: Type.Object({
      apps: Type.Array(Type.String(), { description: 'Apps whose chats can be linked here.' }),
      chats: Type.Array(Chat),
    }),
  },
  refusals: [],
})

export const postChatCode = defineRoute({
  name: 'postChatCode',
  method: 'POST',
  path: '/chats/code',
  auth: 'session',
  group,
  summary: 'A code that links a chat',
  description:
    'Said in a chat with our bot it links that chat, once, within ten minutes. An earlier code dies with it.',
  reply: {
    status: 201,
    description: 'The code. A chat in which it is sent gets the events of this account.',
    schema: Type.Object({
      code: Type.String({ description: 'Shown this once.' }),
      expires_at: TimeField('It works until then.'),
      invitations: Type.Array(
        Type.Object({
          app: Type.String(),
          command: Type.String({ description: 'What to say in the chat.' }),
          url: Type.String({ description: 'Opens the app and says it, or empty.' }),
        }),
      ),
    }),
  },
  refusals: ['chat_unavailable', 'chat_limit'],
})

export const patchChat = defineRoute({
  name: 'patchChat',
  method: 'PATCH',
  path: '/chats/{id}',
  auth: 'session',
  group,
  summary: 'Change what a chat is told of',
  params: chatId,
  body: Type.Object({
    events: EventSwitches<EventType>(
      'Event type to boolean; what is left out stays.',
      chatDefaults,
    ),
  }),
  reply: { status: 200, description: 'The chat.', schema: Chat },
  refusals: ['not_found'],
})

export const deleteChat = defineRoute({
  name: 'deleteChat',
  method: 'DELETE',
  path: '/chats/{id}',
  auth: 'session',
  group,
  summary: 'Unlink a chat; it receives nothing more',
  params: chatId,
  reply: { status: 204, description: 'It is gone.', schema: Type.Unsafe<undefined>({}) },
  refusals: ['not_found'],
})

export const postChatTest = defineRoute({
  name: 'postChatTest',
  method: 'POST',
  path: '/chats/{id}/test',
  auth: 'session',
  group,
  summary: 'Send a test message',
  description: 'It arrives like any message. At most 10 a minute.',
  params: chatId,
  reply: {
    status: 200,
    description: 'It is on its way.',
    schema: Type.Object({ queued: Type.Boolean() }),
  },
  refusals: ['not_found'],
})
