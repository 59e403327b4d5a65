import type { TestApp } from './app.ts'
import type { Visitor } from './visitor.ts'

const WHY = 'a test of the status'

/** What a stranger, and an operator at the console, do with announcements. */
export function announcing(market: TestApp, operator: () => Visitor) {
  let aheadMs = 0
  const at = (seconds: number) => new Date(Date.now() + aheadMs + seconds * 1_000).toISOString()
  const announce = (changes: Record<string, unknown> = {}) =>
    operator().call('POST', '/announcements', {
      kind: 'announcement',
      ...words,
      why: WHY,
      ...changes,
    })
  const listed = async () => (await operator().call('GET', '/announcements')).body.announcements
  return {
    /** By the test's clock. */
    at,
    async advance(seconds: number) {
      const body = { advance_seconds: seconds }
      await market.call('POST', '/sandbox/clock', { body })
      aheadMs += seconds * 1_000
    },
    status: async () => (await market.call('GET', '/v1/public/status')).body,
    html: async (path: string) => (await fetch(market.url + path)).text(),
    announce,
    plan: (changes: Record<string, unknown> = {}) =>
      announce({
        kind: 'maintenance',
        title: 'A new database server',
        from: at(3_600),
        until: at(7_200),
        components: ['api', 'purchases'],
        ...changes,
      }),
    listed,
    newest: async () => (await listed())[0],
    async withdrawAll() {
      for (const one of await listed()) {
        if (!['current', 'upcoming'].includes(one.state)) continue
        await operator().call('POST', `/announcements/${one.id}/withdrawal`, { why: WHY })
      }
    },
  }
}

export const words = {
  severity: 'info',
  title: 'A new plan',
  text: 'From Monday.',
  link: 'https://example.com/plan',
  from: null,
  until: null,
  components: [],
  places: ['workspace', 'pay', 'status'],
}
