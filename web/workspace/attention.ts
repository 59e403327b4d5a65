import { sunOf } from '../shared/money.ts'
import type { AgentConfig, Subscription, Webhook } from './queries.ts'
import { closedWords, disabledWords, isOwnChoice, pausedWords } from './reasons.ts'

/** The answers of the API; undefined: not loaded yet. */
export type Known = {
  nowMs: number
  balanceTrx?: string | undefined
  lowBalanceTrx?: string | null | undefined
  webhooks?: Pick<Webhook, 'id' | 'name' | 'disabled_reason'>[] | undefined
  configs?: Pick<AgentConfig, 'id' | 'title' | 'pause_reason'>[] | undefined
  subscriptions?: Pick<Subscription, 'address' | 'close_reason' | 'closed_at'>[] | undefined
}

export type Item = {
  key: string
  title: string
  text: string
  /** One click. A remedy that costs something is a link to a page that explains it. */
  remedy: { name: string } & ({ to: '/deposits' | '/agent' | '/autoenergy' } | Call)
}
type Call = { call: 'enable'; webhook: string } | { call: 'resume'; config: string }

const WEEK_MS = 7 * 86_400_000

/** Items that need the client's attention; not the client's own choices, nor items that ended long ago. */
export function attentionOf(known: Known): Item[] {
  return [...lowBalance(known), ...webhookItems(known), ...agentItems(known), ...closed(known)]
}

function lowBalance({ balanceTrx, lowBalanceTrx }: Known): Item[] {
  const balance = sunOf(balanceTrx ?? '')
  const threshold = sunOf(lowBalanceTrx ?? '')
  if (balance === undefined || threshold === undefined || balance >= threshold) return []
  const text = `It is below the ${lowBalanceTrx} TRX you set.`
  const remedy = { name: 'Top up', to: '/deposits' } as const
  return [{ key: 'balance', title: 'Your balance is low', text, remedy }]
}

function webhookItems({ webhooks = [] }: Known): Item[] {
  return webhooks.flatMap(({ id, name, disabled_reason }) => {
    if (disabled_reason === null || isOwnChoice(disabled_reason)) return []
    const text = `${disabledWords(disabled_reason)} Nothing is sent to it.`
    const remedy = { name: 'Enable again', call: 'enable', webhook: id } as const
    return [{ key: id, title: `Webhook ${name} is disabled`, text, remedy }]
  })
}

function agentItems({ configs = [] }: Known): Item[] {
  return configs.flatMap(({ id, title, pause_reason }) => {
    if (pause_reason === null || isOwnChoice(pause_reason)) return []
    const remedy =
      pause_reason === 'admin'
        ? ({ name: 'Look at it', to: '/agent' } as const)
        : ({ name: 'Resume', call: 'resume', config: id } as const)
    const name = title ? `Pay page ${title}` : 'A pay page'
    return [{ key: id, title: `${name} is paused`, text: pausedWords(pause_reason), remedy }]
  })
}

function closed({ subscriptions = [], nowMs }: Known): Item[] {
  return subscriptions.flatMap(({ address, close_reason, closed_at }) => {
    if (close_reason === null || closed_at === null || isOwnChoice(close_reason)) return []
    if (nowMs - Date.parse(closed_at) > WEEK_MS) return []
    const title = `AutoEnergy for ${address.slice(0, 6)}…${address.slice(-6)} has ended`
    const remedy = { name: 'Cover it again', to: '/autoenergy' } as const
    return [{ key: address, title, text: closedWords(close_reason), remedy }]
  })
}
