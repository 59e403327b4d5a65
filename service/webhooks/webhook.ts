import type { EventType } from '@ergon/contract'
import { chosenByDefault } from '@ergon/contract'

export type Switches = Partial<Record<string, boolean>>

/** At most so many per account. */
export const WEBHOOKS_MAX = 10
/** Total confirmed deposits must be more than this. */
export const DEPOSIT_SUN = 1_000_000n

/** The event types of a webhook after a change of its switches. */
export function switched(had: readonly string[], given: Switches | undefined): EventType[] {
  const on = (type: string) => given?.[type] ?? had.includes(type)
  return (Object.keys(chosenByDefault) as EventType[]).filter(on)
}

/** Default event types of a new webhook. */
export const DEFAULT_TYPES = (Object.keys(chosenByDefault) as EventType[]).filter(
  (type) => chosenByDefault[type],
)

/** The body of a delivery; the event's payload is copied as text. */
export function bodyOf(event: { id: string; type: string; createdAt: Date; data: string }): string {
  const { id, type, createdAt, data } = event
  const head = { id, type, created_at: createdAt.toISOString(), audience: 'customer' }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}
