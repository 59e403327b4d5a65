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

export type ListenerRow = { account: string; app: string; address: string; types: string[] }

export const listListeners = statement<ListenerRow>(
  'chat.listListeners',
  `
  select account_id as account, app, address, types from chat.chat where account_id = any ($1) order by id
`,
)

export const insertMessages = statement(
  'chat.insertMessages',
  `
  insert into chat.message (id, app, address, account_id, text, queued_at)
  select g.id, g.app, g.address, g.account_id, g.text, clock_timestamp()
    from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) as g(id, app, address, account_id, text)
`,
)

/** In order of the keys, so that concurrent transactions do not deadlock. */
export const touchConversations = statement(
  'chat.touchConversations',
  `
  insert into chat.conversation as c (app, address, due_at)
  select g.app, g.address, clock_timestamp()
    from (select distinct n.app, n.address from unnest($1::text[], $2::text[]) as n(app, address)) g
   order by g.app, g.address
  on conflict (app, address) do update
     set due_at = least(c.due_at, greatest(c.open_at, excluded.due_at))
`,
)

/** Takes or renews the lease; returns no row when another process holds it. */
export const claimLease = statement<{ app: string }>(
  'chat.claimLease',
  `
  insert into chat.duty as d (app, owner, lease_until)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3))
  on conflict (app) do update set owner = excluded.owner, lease_until = excluded.lease_until
   where d.owner = excluded.owner or d.lease_until <= clock_timestamp()
  returning app
`,
)

export const releaseLease = statement(
  'chat.releaseLease',
  `
  update chat.duty set owner = null, lease_until = '-infinity' where app = $1 and owner = $2
`,
)

export const readReceived = statement<{ below: string | null }>(
  'chat.readReceived',
  `
  select heard_below as below from chat.duty where app = $1
`,
)

/** Returns no row when another process holds the lease by now; it will handle the update. */
export const setReceived = statement<{ app: string }>(
  'chat.setReceived',
  `
  update chat.duty set heard_below = $3 where app = $1 and owner = $2 returning app
`,
)

export type DueRow = { address: string; ids: string[]; texts: string[]; failures: number }

/** Chats that may get a message now, each with its oldest waiting messages. */
export const readDue = statement<DueRow>(
  'chat.readDue',
  `
  select c.address, m.ids, m.texts, c.failures
    from (select n.app, n.address, n.failures, n.due_at from chat.conversation n
           where n.app = $1 and n.due_at <= clock_timestamp() and n.address <> all ($2::text[])
           order by n.due_at limit $3) c
   cross join lateral (
          select coalesce(array_agg(o.id::text order by o.id), '{}') as ids,
                 coalesce(array_agg(o.text order by o.id), '{}') as texts
            from (select w.id, w.text from chat.message w
                   where w.app = c.app and w.address = c.address order by w.id limit $4) o) m
   order by c.due_at
`,
)

export const deleteMessages = statement(
  'chat.deleteMessages',
  `
  delete from chat.message where id = any ($1)
`,
)

export const lockConversation = statement(
  'chat.lockConversation',
  `
  select from chat.conversation where app = $1 and address = $2 for update
`,
)

/** A separate statement after the lock, so that it sees messages committed during the wait. */
export const restConversation = statement(
  'chat.restConversation',
  `
  update chat.conversation c
     set open_at = clock_timestamp() + make_interval(secs => $3), failures = $4,
         due_at = case when exists (select from chat.message m where m.app = c.app and m.address = c.address)
                       then clock_timestamp() + make_interval(secs => $3) else 'infinity' end
   where c.app = $1 and c.address = $2
`,
)

/** Drops an account's waiting messages to this chat, or all of them without an account. */
export const dropMessages = statement(
  'chat.dropMessages',
  `
  delete from chat.message where app = $1 and address = $2 and ($3::uuid is null or account_id = $3)
`,
)

export const pruneMessages = statement<{ id: string }>(
  'chat.pruneMessages',
  `
  delete from chat.message
   where id = any (array(
           select m.id from chat.message m
            where m.queued_at < clock_timestamp() - make_interval(hours => $1) order by m.queued_at limit $2))
  returning id
`,
)
