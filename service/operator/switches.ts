import type { Agent } from '../agent/index.ts'
import type { AutoEnergy } from '../autoenergy/index.ts'
import type { Deposits } from '../deposits/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Webhooks } from '../webhooks/index.ts'

export type Switch = { name: string; enabled: boolean; reason: string; stops: string }

export type Switches = {
  list(): Promise<Switch[]>
  /** Why this change is not allowed here; undefined when it is. */
  objectionTo(name: string, enabled: boolean): string | undefined
  /** False when there is no such switch. */
  set(name: string, enabled: boolean, reason: string): Promise<boolean>
}

export type SwitchDeps = {
  agent: Agent
  autoenergy: AutoEnergy
  deposits: Deposits
  orders: Orders
  providers: Providers
  signing: Signing
  webhooks: Webhooks
}

type State = { enabled: boolean; reason?: string | null }
type Handle = {
  stops: string
  read(): Promise<State>
  set(enabled: boolean, reason: string): Promise<unknown>
}

const PROVIDER = 'provider:'
const SIGNERS_OWN =
  "Signing is turned on only on the signer's machine: npx ergon signer on --why TEXT --by NAME"

/** Every kill switch of the service. Each lives in its own room, as a row that all processes read. */
export function createSwitches(deps: SwitchDeps): Switches {
  const { agent, autoenergy, deposits, orders, providers, signing, webhooks } = deps
  const handles: Record<string, Handle> = {
    selling: {
      stops: 'New purchases, agent sales and checkouts. Orders under way go on.',
      read: orders.selling,
      set: (enabled, reason) => orders.setSelling(enabled, enabled ? null : reason),
    },
    autoenergy: {
      stops: 'New subscriptions. Those that are active go on.',
      read: autoenergy.enabled,
      set: autoenergy.setEnabled,
    },
    agent: {
      stops: 'New and changed agent configurations. Those that are active go on selling.',
      read: agent.configs.terms,
      set: (enabled) => agent.changeTerms({ enabled }),
    },
    sweeps: {
      stops: 'Transfers from deposit addresses to the hot wallet.',
      read: deposits.sweepingSwitch,
      set: deposits.setSweeping,
    },
    signing: {
      stops: 'Every signature: nothing of ours is delegated, reclaimed, swept or paid out.',
      read: signing.enabled,
      set: (enabled, reason) => (enabled ? Promise.resolve() : signing.turnOff(reason)),
    },
    webhooks: {
      stops: 'Deliveries to webhooks. They wait and are sent later.',
      read: webhooks.sending,
      set: (enabled, reason) => webhooks.setSending(enabled, enabled ? null : reason),
    },
  }

  return {
    async list() {
      const own = Object.entries(handles).map(async ([name, { read, stops }]) => {
        const { enabled, reason } = await read()
        return { name, enabled, reason: reason ?? '', stops }
      })
      const sellers = (await providers.health()).map(({ name, enabled }) => ({
        name: PROVIDER + name,
        enabled,
        reason: '',
        stops: `Buying from ${name}. What it was asked for already goes on.`,
      }))
      return [...(await Promise.all(own)), ...sellers]
    },
    objectionTo: (name, enabled) => (name === 'signing' && enabled ? SIGNERS_OWN : undefined),
    async set(name, enabled, reason) {
      if (name.startsWith(PROVIDER)) {
        // Look up in the list first: a name from a path may contain characters that PostgreSQL cannot compare.
        const known = (await providers.list()).some((one) => PROVIDER + one.name === name)
        return known && providers.setEnabled(name.slice(PROVIDER.length), enabled)
      }
      const handle = Object.hasOwn(handles, name) ? handles[name] : undefined
      await handle?.set(enabled, reason)
      return handle !== undefined
    },
  }
}
