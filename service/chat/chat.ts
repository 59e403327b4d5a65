import type { Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import type { Log, Loop, Runtime } from '../kernel/index.ts'
import { type Chats, createChats } from './chats.ts'
import { createFanOut } from './fanOut.ts'
import { createLease } from './lease.ts'
import { createReceiving } from './receiveUpdates.ts'
import { createSending } from './sendMessages.ts'
import { createTelegram, type TelegramAccess } from './telegram.ts'

export type Chat = Pick<Chats, 'list' | 'createCode' | 'change' | 'remove' | 'test'> & {
  /** Names of the apps that are connected. */
  apps: string[]
  loops: Loop[]
}

/** How the apps are reached; one that is left out is not connected. */
export type ChatOptions = { telegram?: TelegramAccess | undefined }

type Deps = { db: Db; runtime: Runtime; log: Log; events: Events; options: ChatOptions }

const FAN_OUT_MS = 250
const FAN_OUT_IDLE_MS = 5_000

export function createChat({ options, ...deps }: Deps): Chat {
  const apps = options.telegram ? [createTelegram(options.telegram)] : []
  const names = apps.map(({ name }) => name)
  const wake = () => {
    for (const loop of talking) loop.wake()
  }
  const onQueued = () => {
    for (const loop of sending) loop.wake()
  }
  const { redeem, unlink, ...open } = createChats({ ...deps, apps, onQueued })
  const chats = { redeem, unlink, ...open }
  const lease = createLease({ ...deps, apps: names, onTaken: wake })
  const sending = apps.map((app) => createSending({ ...deps, lease, chats }, app))
  const talking = [
    ...sending,
    ...apps.map((app) => createReceiving({ ...deps, lease, chats, onQueued }, app)),
  ]

  const last: Loop = {
    ...lease.loop,
    // Release the lease after the last call has ended, so that the next holder does not repeat messages.
    async stop() {
      await Promise.all(sending.map((loop) => loop.stop()))
      await lease.loop.stop()
    },
  }
  // Without an app events are still taken, and dropped like messages that cannot be sent.
  const everyMs = apps.length > 0 ? FAN_OUT_MS : FAN_OUT_IDLE_MS
  const always = [createFanOut({ ...deps, everyMs, onQueued })]
  const loops = apps.length > 0 ? [...always, ...talking, last] : always
  return { ...open, apps: names, loops }
}
