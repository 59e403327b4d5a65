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
import { createReadEvents, type ReadEvents } from './readEvents.ts'
import { createReplays, type Replays } from './replay.ts'
import { createResealing } from './reseal.ts'
import { createSecrets } from './secrets.ts'
import { createSendTest, type SendTest } from './sendTest.ts'
import { readLateness, readPulse, readSending, setSending } from './webhooks.sql.ts'

export type Webhooks = Omit<Endpoints, 'disable'> & {
  test: SendTest
  readEvents: ReadEvents
  startReplay: Replays['start']
  deliveries: Deliveries
  /** The kill switch: read before each batch, by every worker. */
  setSending(enabled: boolean, reason: string | null): Promise<void>
  sending(): Promise<{ enabled: boolean; reason: string | null }>
  /** Webhooks disabled within the last day, and overdue deliveries. */
  pulse(): Promise<{ disabled: bigint; overdue: bigint }>
  /** Clients to whom we send late, and all to whom something was sent within the last hour. */
  lateness(): Promise<{ late: bigint; active: bigint }>
  /** Seals again what another key has sealed; returns how many webhooks. */
  reseal(): Promise<number>
  loops: Loop[]
}

export type WebhookOptions = {
  /** Seals the signing secrets; 32 bytes, the same on every node. */
  secretsKey: Uint8Array
  /** Keys that may have sealed secrets too, during a rotation; they only open. */
  otherSecretsKeys?: readonly Uint8Array[]
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
  /** Seals the places of the event feed. */
  cursorSecret(): Promise<Uint8Array>
  deposits: Deposits
  mail: Mail
  options: WebhookOptions
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function createWebhooks({ options, ...deps }: Deps): Webhooks {
  const { db, runtime, log } = deps
  const client = createClient(options.network ?? publicNetwork, options.sinkUrl)
  const secrets = createSecrets(options.secretsKey, runtime.random, options.otherSecretsKeys)
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
  const replays = createReplays({ ...deps, onQueued })
  return {
    ...open,
    readEvents: createReadEvents(deps),
    startReplay: replays.start,
    test: createSendTest({ ...deps, attempts }),
    deliveries: createDeliveries({ db, runtime, attempts, onQueued }),
    sending: async () => (await db.query(readSending))[0]!,
    async pulse() {
      const now = runtime.clock.now()
      return (await db.query(readPulse, [new Date(now.getTime() - DAY_MS), now]))[0]!
    },
    async lateness() {
      const now = runtime.clock.now()
      return (await db.query(readLateness, [now, new Date(now.getTime() - HOUR_MS)]))[0]!
    },
    async setSending(enabled, reason) {
      await db.query(setSending, [enabled, reason])
    },
    reseal: createResealing({ db, secrets }),
    loops: [createFanOut({ ...deps, onQueued }), delivering, replays.loop],
  }
}
