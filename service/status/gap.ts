import type { Component } from '@ergon/contract'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export type Minutes = { day: string; component: Component; state: string; minutes: bigint }
export type Window = { from: Date; until: Date | null; components: readonly string[] }

/**
 * The minutes of a time in which nobody measured, because the service did not run: by day and component they are an outage,
 * and maintenance as far as a window covers them.
 */
export function minutesOfGap(
  { from, until }: { from: Date; until: Date },
  components: readonly Component[],
  windows: readonly Window[],
): Minutes[] {
  const [fromMs, untilMs] = [from.getTime(), until.getTime()]
  const found: Minutes[] = []
  for (let dayMs = floorDay(fromMs); dayMs < untilMs; dayMs += DAY_MS) {
    const piece = { fromMs: Math.max(fromMs, dayMs), untilMs: Math.min(untilMs, dayMs + DAY_MS) }
    const minutes = Math.round((piece.untilMs - piece.fromMs) / MINUTE_MS)
    const day = dayOf(dayMs)
    for (const component of components) {
      const touching = windows.filter((one) => one.components.includes(component))
      const planned = Math.round(
        touching.reduce((sum, one) => sum + shared(one, piece), 0) / MINUTE_MS,
      )
      const covered = Math.min(planned, minutes)
      const parts = [
        ['maintenance', covered],
        ['outage', minutes - covered],
      ] as const
      for (const [state, count] of parts) {
        if (count > 0) found.push({ day, component, state, minutes: BigInt(count) })
      }
    }
  }
  return found
}

function shared({ from, until }: Window, piece: { fromMs: number; untilMs: number }): number {
  const end = Math.min(until?.getTime() ?? piece.untilMs, piece.untilMs)
  return Math.max(0, end - Math.max(from.getTime(), piece.fromMs))
}

const floorDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
