import type { EventType } from '@ergon/contract'
import { chosenByDefault } from '@ergon/contract'

export type Switches = Partial<Record<string, boolean>>

/** At most so many per account. */
export const WEBHOOKS_MAX = 10
/** Total confirmed deposits must be more than this. */
export const DEPOSIT_SUN = 1_000_000n

/** What a webhook is told of after a change: the switches given, over what it had. */
export function switched(had: readonly string[], given: Switches | undefined): EventType[] {
  const on = (type: string) => given?.[type] ?? had.includes(type)
  return (Object.keys(chosenByDefault) as EventType[]).filter(on)
}

/** What a new webhook is told of unless its owner says otherwise. */
export const DEFAULT_TYPES = (Object.keys(chosenByDefault) as EventType[]).filter(
  (type) => chosenByDefault[type],
)

/** The bytes of an event on the wire; its payload is passed on as it was written. */
export function bodyOf(event: { id: string; type: string; createdAt: Date; data: string }): string {
  const { id, type, createdAt, data } = event
  const head = { id, type, created_at: createdAt.toISOString(), audience: 'customer' }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}
