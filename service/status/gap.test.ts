import { expect, test } from 'vitest'
import { minutesOfGap } from './gap.ts'

const at = (text: string) => new Date(`2026-11-${text}:00Z`)

test('a gap over midnight is an outage of both days, as far as nothing was planned', () => {
  const windows = [
    { from: at('18T23:50'), until: at('19T00:20'), components: ['webhooks'] },
    { from: at('19T00:25'), until: at('19T02:00'), components: ['webhooks'] },
  ]
  const gap = { from: at('18T23:30'), until: at('19T00:30') }
  expect(minutesOfGap(gap, ['api', 'webhooks'], windows)).toEqual([
    { day: '2026-11-18', component: 'api', state: 'outage', minutes: 30n },
    { day: '2026-11-18', component: 'webhooks', state: 'maintenance', minutes: 10n },
    { day: '2026-11-18', component: 'webhooks', state: 'outage', minutes: 20n },
    { day: '2026-11-19', component: 'api', state: 'outage', minutes: 30n },
    { day: '2026-11-19', component: 'webhooks', state: 'maintenance', minutes: 25n },
    { day: '2026-11-19', component: 'webhooks', state: 'outage', minutes: 5n },
  ])
})
