import { statement } from '../db/index.ts'

export type ChatRow = {
  id: string
  app: string
  address: string
  name: string
  types: string[]
  createdAt: Date
}

const CHAT = `id, app, address, name, types, created_at as "createdAt"`

/** Serialises changes to one account's chats; later statements see earlier commits. */
export const lockOwner = statement(
  'chat.lockOwner',
  `
  insert into chat.owner (account_id) values ($1)
  on conflict (account_id) do update set account_id = excluded.account_id
`,
)

export const listChats = statement<ChatRow>(
  'chat.listChats',
  `
  select ${CHAT} from chat.chat where account_id = $1 order by id desc
`,
)

/** Linking again updates the name and keeps the switches. */
export const linkChat = statement<ChatRow>(
  'chat.linkChat',
  `
  insert into chat.chat (id, account_id, app, address, name, types, created_at) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (account_id, app, address) do update set name = excluded.name
  returning ${CHAT}
`,
)

export const findChat = statement<ChatRow>(
  'chat.findChat',
  `
  select ${CHAT} from chat.chat where account_id = $1 and id = $2
`,
)

export const setTypes = statement<ChatRow>(
  'chat.setTypes',
  `
  update chat.chat set types = $3 where account_id = $1 and id = $2
  returning ${CHAT}
`,
)

export const accountsAt = statement<{ account: string }>(
  'chat.accountsAt',
  `
  select account_id as account from chat.chat where app = $1 and address = $2 order by account_id
`,
)

export const removeChatAt = statement(
  'chat.removeChatAt',
  `
  delete from chat.chat where account_id = $1 and app = $2 and address = $3
`,
)

export const setCode = statement(
  'chat.setCode',
  `
  insert into chat.code (account_id, hash, expires_at) values ($1, $2, $3)
  on conflict (account_id) do update set hash = excluded.hash, expires_at = excluded.expires_at
`,
)

export const takeCode = statement<{ account: string; expiresAt: Date }>(
  'chat.takeCode',
  `
  delete from chat.code where hash = $1 returning account_id as account, expires_at as "expiresAt"
`,
)

/** Drops an account's waiting messages to this chat, or all of them without an account. */
export const dropMessages = statement(
  'chat.dropMessages',
  `
  delete from chat.message where app = $1 and address = $2 and ($3::uuid is null or account_id = $3)
`,
)
