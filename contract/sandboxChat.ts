import { Type } from 'typebox'
import { TextInput, TimeField } from './fields.ts'
import { defineRoute } from './route.ts'

/** The sandbox's stand-in of a messaging app. */
const group = 'Sandbox'
const chatId = Type.Object({ chat: Type.String({ description: 'Any whole number.' }) })

export const postSandboxChat = defineRoute({
  name: 'postSandboxChat',
  method: 'POST',
  path: '/chat/{chat}',
  auth: 'public',
  group,
  summary: 'Says something in a chat with our bot, or makes the chat fail',
  params: chatId,
  body: Type.Object({
    text: Type.Optional(TextInput('What is said, such as /start and a code.', 4_096)),
    name: Type.Optional(TextInput('What the chat is called.', 128)),
    answer: Type.Optional(
      Type.Unsafe<'ok' | 'blocked' | 'flood' | 'hang'>({
        type: 'string',
        enum: ['ok', 'blocked', 'flood', 'hang'],
        description: 'How messages to this chat are answered from now on.',
      }),
    ),
  }),
  reply: { status: 200, description: 'Done.', schema: Type.Object({ chat: Type.String() }) },
  refusals: ['validation_error'],
})

export const getSandboxChat = defineRoute({
  name: 'getSandboxChat',
  method: 'GET',
  path: '/chat/{chat}',
  auth: 'public',
  group,
  summary: 'What our bot has said in a chat, in order',
  params: chatId,
  reply: {
    status: 200,
    description: 'All messages.',
    schema: Type.Object({
      messages: Type.Array(
        Type.Object({ sent_at: TimeField('When it was said.'), text: Type.String() }),
      ),
    }),
  },
  refusals: ['validation_error'],
})
