import type { Db } from '../db/index.ts'
import type { Deposits } from '../deposits/index.ts'
import type { Events } from '../events/index.ts'
import type { Accounts } from '../identity/index.ts'
import type { Log, Loop, Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import { createAttempts } from './attempt.ts'
import { createClient, type Network, publicNetwork } from './client.ts'
import { createDelivering } from './deliver.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { createEndpoints, type Endpoints } from './endpoints.ts'
import { createFanOut } from './fanOut.ts'
import { createSecrets } from './secrets.ts'
import { createSendTest, type SendTest } from './sendTest.ts'
import { readPulse, readSending, setSending } from './webhooks.sql.ts'

export type Webhooks = Omit<Endpoints, 'disable'> & {
  test: SendTest
  deliveries: Pick<Deliveries, 'list' | 'resend'>
  /** The kill switch: read before each batch, by every worker. */
  setSending(enabled: boolean, reason: string | null): Promise<void>
  sending(): Promise<{ enabled: boolean; reason: string | null }>
  /** Webhooks disabled within the last day, and overdue deliveries. */
  pulse(): Promise<{ disabled: bigint; overdue: bigint }>
  loops: Loop[]
}

export type WebhookOptions = {
  /** Seals the signing secrets; 32 bytes, the same on every node. */
  secretsKey: Uint8Array
  /** Base URL of the sandbox's receivers, which are accepted although they are not public. */
  sinkUrl?: string | undefined
  /** Instead of the real network, in tests. */
  network?: Network
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  events: Events
  accounts: Accounts
  deposits: Deposits
  mail: Mail
  options: WebhookOptions
}

const DAY_MS = 86_400_000

export function createWebhooks({ options, ...deps }: Deps): Webhooks {
  const { db, runtime, log } = deps
  const client = createClient(options.network ?? publicNetwork, options.sinkUrl)
  const secrets = createSecrets(options.secretsKey, runtime.random)
  const endpoints = createEndpoints({ ...deps, client, secrets })
  const attempts = createAttempts({ runtime, client, secrets })
  const { disable, ...open } = endpoints
  const delivering = createDelivering({
    db,
    runtime,
    log,
    attempts,
    disable,
    abortExchanges: () => client.close(),
  })
  const onQueued = () => delivering.wake()
  const { pruning, ...deliveries } = createDeliveries({ db, runtime, log, onQueued })
  return {
    ...open,
    test: createSendTest({ ...deps, attempts }),
    deliveries,
    sending: async () => (await db.query(readSending))[0]!,
    async pulse() {
      const now = runtime.clock.now()
      return (await db.query(readPulse, [new Date(now.getTime() - DAY_MS), now]))[0]!
    },
    async setSending(enabled, reason) {
      await db.query(setSending, [enabled, reason])
    },
    loops: [createFanOut({ ...deps, onQueued }), delivering, pruning],
  }
}
