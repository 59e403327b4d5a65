import { statement } from '../db/index.ts'

export type ListenerRow = { account: string; app: string; address: string; types: string[] }

export const listListeners = statement<ListenerRow>(
  'chat.listListeners',
  `
  select account_id as account, app, address, types from chat.chat where account_id = any ($1) order by id
`,
)
