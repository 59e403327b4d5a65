import { chatDefaults, type EventType, type Refusal, refuse, refuseFor } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createAllowance, isUuid, type Runtime } from '../kernel/index.ts'
import type { ChatApp, Update } from './app.ts'
import {
  accountsAt,
  type ChatRow,
  dropMessages,
  findChat,
  linkChat,
  listChats,
  lockOwner,
  removeChatAt,
  setCode,
  setTypes,
  takeCode,
} from './chats.sql.ts'
import { hashCode, newCode } from './code.ts'
import { plain, replies } from './messages.ts'
import { queueMessages } from './queue.ts'
import { listListeners } from './store.ts'

export type Switches = Partial<Record<string, boolean>>
export type Code = {
  code: string
  expiresAt: Date
  invitations: { app: string; command: string; url: string }[]
}
type Place = { app: string; address: string }

export type Chats = {
  list(account: string): Promise<ChatRow[]>
  createCode(account: string): Promise<Code | Refusal>
  change(account: string, id: string, events: Switches): Promise<ChatRow | Refusal>
  remove(account: string, id: string): Promise<Refusal | undefined>
  test(account: string, id: string): Promise<Refusal | undefined>
  /** Links the chat by a code sent in it, and returns the answer. */
  redeem(tx: Tx, app: string, update: Update, code: string): Promise<string>
  /** Unlinks a chat from all accounts. */
  unlink(tx: Tx, place: Place): Promise<void>
}

type Deps = {
  db: Db
  runtime: Runtime
  events: Events
  apps: readonly ChatApp[]
  onQueued(): void
}

const CHATS_MAX = 10
const CODE_MS = 600_000
const MINUTE_MS = 60_000
const PER_MINUTE = 10
const NAME_MAX = 80
const CHOICE = Object.keys(chatDefaults) as EventType[]
const DEFAULT_TYPES = CHOICE.filter((type) => chatDefaults[type])

const noChat = refuse('not_found', { message: 'No such chat on this account.' })
const tooMany = refuse('chat_limit', {
  message: `An account has at most ${CHATS_MAX} chats. Unlink one first.`,
})
const noApp = refuse('chat_unavailable', { message: 'No messaging app is connected.' })

export function createChats(deps: Deps): Chats {
  const { db, runtime, events, apps } = deps
  const { clock, ids, random } = runtime
  const window = { most: PER_MINUTE, windowMs: MINUTE_MS }
  const allowCode = createAllowance(clock, window)
  const allowTest = createAllowance(clock, window)

  /** Updates the event types that the account's chats want together; the owner's row is locked. */
  async function listen(tx: Tx, account: string): Promise<void> {
    const listeners = await tx.query(listListeners, [[account]])
    const wanted = new Set(listeners.flatMap(({ types }) => types))
    const types = CHOICE.filter((type) => wanted.has(type))
    await events.listen(tx, 'chat', account, types)
  }

  async function part(tx: Tx, account: string, { app, address }: Place): Promise<void> {
    await tx.query(lockOwner, [account])
    await tx.query(removeChatAt, [account, app, address])
    await tx.query(dropMessages, [app, address, account])
    await listen(tx, account)
  }

  const find = async (account: string, id: string) =>
    isUuid(id) ? (await db.query(findChat, [account, id]))[0] : undefined

  return {
    list: (account) => db.query(listChats, [account]),
    async createCode(account) {
      if (apps.length === 0) return noApp
      if ((await db.query(listChats, [account])).length >= CHATS_MAX) return tooMany
      const wait = allowCode(account)
      if (wait > 0) return refuseFor(wait)
      const code = newCode(random)
      const expiresAt = new Date(clock.now().getTime() + CODE_MS)
      await db.query(setCode, [account, hashCode(code), expiresAt])
      const invite = async (app: ChatApp) => ({ app: app.name, ...(await app.invite(code)) })
      return { code, expiresAt, invitations: await Promise.all(apps.map(invite)) }
    },
    async change(account, id, given) {
      if (!isUuid(id)) return noChat
      return db.transaction(async (tx) => {
        await tx.query(lockOwner, [account])
        const [had] = await tx.query(findChat, [account, id])
        if (!had) return noChat
        const types = CHOICE.filter((type) => given[type] ?? had.types.includes(type))
        const [changed] = await tx.query(setTypes, [account, id, types])
        await listen(tx, account)
        return changed!
      })
    },
    async remove(account, id) {
      const chat = await find(account, id)
      if (!chat) return noChat
      await db.transaction((tx) => part(tx, account, chat))
      return undefined
    },
    async test(account, id) {
      const chat = await find(account, id)
      if (!chat) return noChat
      const wait = allowTest(account)
      if (wait > 0) return refuseFor(wait)
      const { app, address } = chat
      await db.transaction((tx) =>
        queueMessages(tx, ids, [{ app, address, account, text: replies.test }]),
      )
      deps.onQueued()
      return undefined
    },
    async redeem(tx, app, { address, name }, code) {
      const [taken] = await tx.query(takeCode, [hashCode(code)])
      if (!taken || taken.expiresAt <= clock.now()) return replies.unknownCode
      const { account } = taken
      await tx.query(lockOwner, [account])
      const known = await tx.query(listChats, [account])
      const isKnown = known.some((chat) => chat.app === app && chat.address === address)
      if (!isKnown && known.length >= CHATS_MAX) return replies.full
      const called = plain(name, NAME_MAX)
      const now = clock.now()
      await tx.query(linkChat, [ids.next(), account, app, address, called, DEFAULT_TYPES, now])
      await listen(tx, account)
      return replies.linked
    },
    async unlink(tx, { app, address }) {
      // In order of the accounts, so that concurrent unlinks do not deadlock.
      for (const { account } of await tx.query(accountsAt, [app, address])) {
        await part(tx, account, { app, address })
      }
      await tx.query(dropMessages, [app, address, null])
    },
  }
}
