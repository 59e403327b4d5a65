import { type Refusal, refuse } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Deposits } from '../deposits/index.ts'
import type { Events } from '../events/index.ts'
import type { Accounts } from '../identity/index.ts'
import { isUuid, type Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Client } from './client.ts'
import {
  changeEndpoint,
  disableEndpoint,
  type EndpointRow,
  findOwner,
  insertEndpoint,
  insertQueue,
  listEndpoints,
  lockEndpoint,
  lockOwner,
  removeEndpoint,
  rotateSecret,
} from './endpoints.sql.ts'
import type { Secrets } from './secrets.ts'
import { failPending, listSubscribers } from './store.ts'
import { DEFAULT_TYPES, DEPOSIT_SUN, type Switches, switched, WEBHOOKS_MAX } from './webhook.ts'

export type WithSecret = { endpoint: EndpointRow; secret: string }
export type Change = {
  name?: string | undefined
  url?: string | undefined
  events?: Switches | undefined
  status?: 'active' | 'disabled' | undefined
}

export type Endpoints = {
  create(
    account: string,
    wish: { name: string; url: string; events?: Switches | undefined },
  ): Promise<WithSecret | Refusal>
  list(account: string): Promise<EndpointRow[]>
  change(account: string, id: string, change: Change): Promise<EndpointRow | Refusal>
  remove(account: string, id: string): Promise<Refusal | undefined>
  rotate(account: string, id: string, overlapHours: number): Promise<WithSecret | Refusal>
  /** Disables a webhook because of its failures; the owner is notified. */
  disable(id: string, reason: string): Promise<void>
}

type Deps = {
  db: Db
  runtime: Runtime
  events: Events
  accounts: Accounts
  deposits: Deposits
  mail: Mail
  client: Client
  secrets: Secrets
}

const HOUR_MS = 3_600_000

export const noWebhook = refuse('not_found', {
  message: 'No such webhook on this account. GET /webhooks lists them.',
})
const tooMany = refuse('webhook_limit', {
  message: `An account has at most ${WEBHOOKS_MAX} webhooks. Remove one first.`,
})

export function createEndpoints(deps: Deps): Endpoints {
  const { db, runtime, events, accounts, deposits, mail, client, secrets } = deps
  const { clock, ids } = runtime

  async function depositRefusal(account: string): Promise<Refusal | undefined> {
    const deposited = await deposits.confirmedTotal(account)
    if (deposited > DEPOSIT_SUN) return undefined
    const message =
      'Webhooks need more than 1 TRX of confirmed deposits. Send TRX to your deposit address first.'
    return refuse('deposit_required', {
      message,
      required_sun: DEPOSIT_SUN,
      deposited_sun: deposited,
    })
  }

  /** Updates the event types that the account's webhooks want together; the owner's row is locked. */
  async function listen(tx: Tx, account: string): Promise<void> {
    const subscribers = await tx.query(listSubscribers, [[account]])
    const types = new Set(subscribers.flatMap((subscriber) => subscriber.types))
    await events.listen(tx, 'webhooks', account, switched([...types], undefined))
  }

  /** Runs a change of one webhook under the account's lock. */
  function changing<T>(
    account: string,
    id: string,
    work: (tx: Tx, endpoint: EndpointRow) => Promise<T>,
  ): Promise<T | Refusal> {
    if (!isUuid(id)) return Promise.resolve(noWebhook)
    return db.transaction(async (tx) => {
      await tx.query(lockOwner, [account])
      const [endpoint] = await tx.query(lockEndpoint, [account, id])
      if (!endpoint) return noWebhook
      const result = await work(tx, endpoint)
      await listen(tx, account)
      return result
    })
  }

  return {
    async create(account, { name, url, events: given }) {
      const refusal = await depositRefusal(account)
      if (refusal) return refusal
      // Check the limit before resolving names, and again under the lock.
      if ((await db.query(listEndpoints, [account])).length >= WEBHOOKS_MAX) return tooMany
      const unfit = await client.check(url)
      if (unfit) return unfit
      const id = ids.next()
      const secret = secrets.create()
      const sealed = secrets.seal(id, secret)
      const types = switched(DEFAULT_TYPES, given)
      return db.transaction(async (tx) => {
        await tx.query(lockOwner, [account])
        if ((await tx.query(listEndpoints, [account])).length >= WEBHOOKS_MAX) return tooMany
        const values = [id, account, name, url, types, sealed, clock.now()]
        const [endpoint] = await tx.query(insertEndpoint, values)
        await tx.query(insertQueue, [id])
        await listen(tx, account)
        return { endpoint: endpoint!, secret }
      })
    },
    list: (account) => db.query(listEndpoints, [account]),
    async change(account, id, change) {
      const known = (await db.query(listEndpoints, [account])).some((row) => row.id === id)
      if (!known) return noWebhook
      const unfit = change.url === undefined ? undefined : await client.check(change.url)
      if (unfit) return unfit
      return changing(account, id, async (tx, had) => {
        const { name = had.name, url = had.url, status = had.status } = change
        const reason = status === 'disabled' ? (had.disabledReason ?? 'by its owner') : null
        const types = switched(had.types, change.events)
        const [changed] = await tx.query(changeEndpoint, [id, name, url, types, status, reason])
        if (status === 'disabled') await tx.query(failPending, [id, 'webhook_disabled'])
        return changed!
      })
    },
    async remove(account, id) {
      return changing(account, id, async (tx) => {
        await tx.query(removeEndpoint, [account, id, clock.now()])
        await tx.query(failPending, [id, 'webhook_removed'])
        return undefined
      })
    },
    rotate: (account, id, overlapHours) =>
      changing(account, id, async (tx) => {
        const secret = secrets.create()
        const now = clock.now().getTime()
        const until = overlapHours > 0 ? new Date(now + overlapHours * HOUR_MS) : null
        const [endpoint] = await tx.query(rotateSecret, [id, secrets.seal(id, secret), until])
        return { endpoint: endpoint!, secret }
      }),
    async disable(id, reason) {
      await db.transaction(async (tx) => {
        const [owner] = await tx.query(findOwner, [id])
        if (!owner) return
        const { account } = owner
        await tx.query(lockOwner, [account])
        const [disabled] = await tx.query(disableEndpoint, [id, reason])
        if (!disabled) return
        await tx.query(failPending, [id, 'webhook_disabled'])
        await listen(tx, account)
        const data = { webhook_id: id, name: disabled.name, reason }
        const subject = `${id} ${clock.now().toISOString()}`
        await events.emit(tx, [{ account, type: 'webhook.disabled', subject, trace: id, data }])
        const email = await accounts.emailOf(tx, account)
        if (email) await mail.write(tx, email, letterAbout(disabled.name, reason))
      })
    },
  }
}

function letterAbout(name: string, reason: string) {
  const line = name.replaceAll(/\p{C}+/gu, ' ')
  return {
    subject: 'A webhook was disabled',
    text: `Your webhook "${line}" at Ergon was disabled.\n\n${reason}\n\nRepair the receiver, set the webhook to active in the workspace, and send again what you need.\n`,
  }
}
