import type { ProviderChange } from './provider.ts'

/** Control addresses of the sandbox's stand-ins, by provider. Production has none. */
export type StandIns = ReadonlyMap<string, string>

const ANSWER_MS_MAX = 5_000

/** Sets the behaviour of a stand-in; real marketplaces have none. */
export async function askStandIn(
  standIns: StandIns,
  name: string,
  { behaviour, unitPrice, capacity, delayMs }: ProviderChange,
): Promise<void> {
  const url = standIns.get(name)
  if (url === undefined) return
  const body = {
    behaviour,
    price_sun: unitPrice === undefined ? undefined : Number(unitPrice),
    capacity: capacity === undefined ? undefined : Number(capacity),
    delay_ms: delayMs,
  }
  const ask = () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
  // Over a connection that it has just closed nothing arrives; set twice is the same as once.
  const response = await ask().catch(ask)
  if (!response.ok) throw new Error(`the stand-in of ${name} answered ${response.status}`)
}

/** What the script of a stand-in keeps back: calls without an answer, and orders by their ids. */
export type HeldBack = { unanswered: number; held: string[] }

/** Undefined where there is no stand-in, and where it does not answer. */
export async function readStandIn(standIns: StandIns, name: string): Promise<HeldBack | undefined> {
  const url = standIns.get(name)
  if (url === undefined) return undefined
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    return response.ok ? ((await response.json()) as HeldBack) : undefined
  } catch {
    return undefined
  }
}
