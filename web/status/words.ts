import type { getPublicStatus, Reply } from '@ergon/contract'

export type PublicStatus = Reply<typeof getPublicStatus>
export type Component = PublicStatus['components'][number]
export type Day = Component['days'][number]

export const STATE_WORDS: Record<Component['state'], string> = {
  operational: 'Operational',
  degraded: 'Degraded',
  outage: 'Outage',
  maintenance: 'Maintenance',
  unknown: 'Not known',
}

export const DAY_WORDS: Record<Day['state'], string> = {
  operational: 'operational',
  degraded: 'degraded',
  outage: 'outage',
  maintenance: 'maintenance',
  no_data: 'no data',
}

export const PHASE_WORDS: Record<string, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}

/** 99.98 %, of hundredths of a percent. */
export function percentWords(bps: number): string {
  const whole = Math.floor(bps / 100)
  const rest = bps % 100
  return rest === 0 ? `${whole} %` : `${whole}.${String(rest).padStart(2, '0')} %`
}
