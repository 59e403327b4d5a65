import { randomUUID } from 'node:crypto'
import { type Case, OWNER, PAST, plantAccounts, plantEvents, txidOf, uuids } from './plant.ts'

export const news: Case[] = [
  {
    loop: 'webhooks.fanOut',
    kind: 'event',
    async plant(world) {
      await world.webhook()
      const accounts = Array.from({ length: world.many }, () => world.account)
      return { keys: await plantEvents(world, 'webhooks', accounts) }
    },
    poison: { when: 'insert', table: 'webhooks.message', column: 'event_id' },
    left: `select event_id as id from events.pending where reader = 'webhooks'`,
    clean: 'events.pending, webhooks.message, webhooks.delivery, webhooks.queue, webhooks.endpoint',
  },
  {
    loop: 'webhooks.deliver',
    kind: 'delivery',
    async plant(world) {
      const webhook = await world.webhook()
      const keys = uuids(world.many)
      const at = { created_at: PAST }
      await world.plant(
        'webhooks.message',
        keys.map((id) => ({ ...at, event_id: id, type: 'balance.changed', body: '{}' })),
      )
      await world.plant(
        'webhooks.delivery',
        keys.map((id) => ({
          ...at,
          id,
          webhook_id: webhook,
          event_id: id,
          state: 'pending',
          due_at: PAST,
        })),
      )
      await world.app.database.sql(
        `insert into webhooks.queue (webhook_id, due_at) values ($1, $2)
         on conflict (webhook_id) do update set due_at = excluded.due_at`,
        [webhook, PAST],
      )
      return { keys }
    },
    poison: { when: 'update', table: 'webhooks.delivery', column: 'id' },
    left: `select id from webhooks.delivery where state = 'pending'`,
    clean: 'webhooks.message, webhooks.delivery, webhooks.queue, webhooks.endpoint',
  },
  {
    loop: 'webhooks.replay',
    kind: 'replay',
    async plant({ many, plant }) {
      // Of webhooks that are gone: each is ended.
      const keys = uuids(many)
      const of = { state: 'running', next_at: PAST, types: '{balance.changed}' }
      await plant(
        'webhooks.replay',
        keys.map((id) => ({ ...of, id, webhook_id: id })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'webhooks.replay', column: 'id' },
    left: `select id from webhooks.replay where state = 'running'`,
    clean: 'webhooks.replay',
  },
  {
    loop: 'chat.fanOut',
    kind: 'event',
    async plant(world) {
      const accounts = await plantAccounts(world, world.few)
      const keys = accounts.map((_, n) => `${1_000 + n}`)
      const types = '{balance.changed}'
      await world.plant(
        'chat.chat',
        keys.map((address, n) => ({
          id: randomUUID(),
          account_id: accounts[n]!,
          app: 'telegram',
          address,
          types,
        })),
      )
      return { keys, subjects: await plantEvents(world, 'chat', accounts) }
    },
    poison: { when: 'insert', table: 'chat.message', column: 'address' },
    left: `select c.address as id from events.pending p join chat.chat c on c.account_id = p.account_id
            where p.reader = 'chat'`,
    clean: 'events.pending, chat.chat, chat.message, chat.conversation',
  },
  {
    loop: 'chat.send.telegram',
    kind: 'chat',
    async plant({ app, few, plant }) {
      const keys = Array.from({ length: few }, (_, n) => `${2_000 + n}`)
      for (const chat of keys) app.devnet.telegram.change(chat, {})
      const of = { app: 'telegram' }
      await plant(
        'chat.conversation',
        keys.map((address) => ({ ...of, address, due_at: PAST })),
      )
      await plant(
        'chat.message',
        keys.map((address) => ({ ...of, address, id: randomUUID(), text: 'hello' })),
      )
      return { keys }
    },
    poison: { when: 'delete', table: 'chat.message', column: 'address' },
    left: 'select address as id from chat.message',
    clean: 'chat.message, chat.conversation',
  },
  {
    loop: 'mail.send',
    kind: 'letter',
    async plant({ many, plant }) {
      const keys = uuids(many)
      await plant(
        'mail.letter',
        keys.map((id) => ({ id, due_at: PAST })),
      )
      return { keys }
    },
    poison: { when: 'delete', table: 'mail.letter', column: 'id' },
    left: 'select id from mail.letter',
    again: `update mail.letter set due_at = '${PAST}'`,
    clean: 'mail.letter',
  },
]

export const outside: Case[] = [
  {
    loop: 'chain.broadcast',
    kind: 'request',
    async plant({ many, plant }) {
      const ids = uuids(many)
      const keys = ids.map(txidOf)
      const request = { purpose: 'reclaim', owner_address: OWNER, expires_at: PAST }
      await plant(
        'signing.request',
        ids.map((id, n) => ({ ...request, id, txid: keys[n]! })),
      )
      await plant(
        'signing.answer',
        ids.map((id) => ({ request_id: id, state: 'signed', signature: 'ab'.repeat(65) })),
      )
      return { keys, subjects: ids }
    },
    poison: { when: 'insert', table: 'chain.broadcast', column: 'txid' },
    left: 'select txid as id from signing.request where not handed_over',
    clean: 'signing.request, chain.broadcast',
  },
  {
    loop: 'providers.poll',
    kind: 'provider',
    async plant({ app }) {
      await app.database.sql('delete from providers.offer')
      return { keys: ['agora', 'bazaar', 'souk'] }
    },
    poison: { when: 'insert', table: 'providers.offer', column: 'provider' },
    left: `select name as id from providers.provider p
            where name <> 'own_stake'
              and not exists (select from providers.offer o where o.provider = p.name)`,
    again: 'update providers.provider set polled_at = null',
    clean: '',
  },
  {
    loop: 'books.statements',
    kind: 'statement',
    async plant({ app }) {
      await app.rooms.statements.loop.runOnce()
      await app.database.sql(`update books.statement_source set due_at = '${PAST}'`)
      return { keys: ['agora', 'bazaar', 'souk'] }
    },
    poison: { when: 'update', table: 'books.statement_source', column: 'provider' },
    left: `select provider as id from books.statement_source where due_at = '${PAST}'`,
    clean: '',
  },
]
