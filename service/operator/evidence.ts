import type { Impact } from '@ergon/contract'
import type { Cause, Evidence } from '../status/index.ts'
import { readSelling, type StatusDeps, USUAL } from './status.ts'
import type { Switches } from './switches.ts'

/** Undefined for a cause that is not there now. */
type Look = { causes: readonly Cause[]; find(): Promise<Partial<Record<Cause, Impact>>> }
type Deps = StatusDeps & {
  switches: Switches
  /** How long no server of the API has reported; null: none ever has. */
  apiSilentMs(): Promise<bigint | null>
}

/** Twelve reports of a server. */
const SILENT_MS_MAX = 60_000n
const RECENT_MS = 15 * 60_000
/** Fewer may be the receivers' own doing. */
const FAILED_MIN = 3n
/** Of the orders that have ended lately: half of them is an outage, a tenth is noticed. */
const OUTAGE_SHARE = 2n
const DEGRADED_SHARE = 10n
const NEAR_MIN = 3n
const UNSIGNED_MS_MAX = 60_000
const LAG_SECONDS_MAX = 300

/** What our own rooms know to be wrong, for the public status. A look that fails leaves its causes unknown. */
export function createEvidence(deps: Deps): () => Promise<Evidence> {
  const looks = looksOf(deps)
  return async () => {
    const findings: { cause: Cause; impact: Impact }[] = []
    const unknown: Cause[] = []
    // One after another: at once, a service at rest would open a connection for each of them every minute.
    for (const { causes, find } of looks) {
      try {
        findings.push(...entriesOf(await find()))
      } catch {
        unknown.push(...causes)
      }
    }
    return { findings, unknown }
  }
}

const entriesOf = (found: Partial<Record<Cause, Impact>>) =>
  (Object.entries(found) as [Cause, Impact][]).map(([cause, impact]) => ({ cause, impact }))

const when = (cause: Cause, isSo: boolean, impact: Impact): Partial<Record<Cause, Impact>> =>
  isSo ? { [cause]: impact } : {}

function looksOf(deps: Deps): Look[] {
  const { clock, chain, delivery, orders, signing, switches, webhooks } = deps
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  return [
    {
      causes: ['api_silent'],
      async find() {
        const silentMs = await deps.apiSilentMs()
        return when('api_silent', silentMs !== null && silentMs > SILENT_MS_MAX, 'outage')
      },
    },
    {
      causes: ['not_selling', 'usual_not_sold'],
      async find() {
        const { ok, sizes } = await readSelling(deps)
        if (!ok) return { not_selling: 'outage' }
        const usual = sizes.find(({ energy }) => energy === USUAL)
        return when('usual_not_sold', usual !== undefined && usual.why !== null, 'degraded')
      },
    },
    {
      causes: ['deliveries_fail'],
      async find() {
        const rows = await orders.countSince(ago(RECENT_MS))
        const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0n
        const failed = of('FAILED')
        const ended = failed + of('COMPLETED')
        if (failed < FAILED_MIN || failed * DEGRADED_SHARE < ended) return {}
        return { deliveries_fail: failed * OUTAGE_SHARE >= ended ? 'outage' : 'degraded' }
      },
    },
    {
      causes: ['deliveries_slow'],
      async find() {
        const { nearDeadline } = await delivery.outlook.pulse()
        return when('deliveries_slow', nearDeadline >= NEAR_MIN, 'degraded')
      },
    },
    {
      causes: ['deliveries_wait'],
      async find() {
        const [{ enabled }, { oldest }] = await Promise.all([signing.enabled(), signing.waiting()])
        const isLate = oldest !== null && oldest < ago(UNSIGNED_MS_MAX)
        return when('deliveries_wait', !enabled || isLate, 'outage')
      },
    },
    {
      causes: ['autoenergy_closed', 'agent_closed', 'webhooks_stopped'],
      async find() {
        const list = await switches.list()
        const isOff = (name: string) => list.some((one) => one.name === name && !one.enabled)
        return {
          ...when('autoenergy_closed', isOff('autoenergy'), 'degraded'),
          ...when('agent_closed', isOff('agent'), 'degraded'),
          ...when('webhooks_stopped', isOff('webhooks'), 'outage'),
        }
      },
    },
    {
      causes: ['webhooks_late'],
      async find() {
        // Stopped ones are late for a reason that is told already.
        if (!(await webhooks.sending()).enabled) return {}
        const { late, active } = await webhooks.lateness()
        return when('webhooks_late', late > 0n && late * 2n >= active, 'degraded')
      },
    },
    {
      causes: ['chain_behind'],
      async find() {
        if (chain.lag.behind()?.reason !== 'scanner') return {}
        const at = await chain.progress()
        const isLong = at && clock.now().getTime() - at.time.getTime() > LAG_SECONDS_MAX * 1_000
        return { chain_behind: isLong ? 'outage' : 'degraded' }
      },
    },
  ]
}
