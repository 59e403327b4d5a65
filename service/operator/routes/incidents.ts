import {
  type Component,
  getOperatorIncidents,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorIncident,
  postOperatorIncidentUpdate,
  postOperatorIncidentWithdrawal,
  type Refusal,
} from '@ergon/contract'
import { shownIncident } from '../../status/index.ts'
import type { ConsoleDeps } from './deps.ts'

export function incidentRoutes({ operator: { announcing } }: ConsoleDeps): HandledRoute[] {
  async function reply() {
    const rows = await announcing.incidents()
    return {
      incidents: rows.map((row) => ({
        ...shownIncident(row),
        withdrawn: row.withdrawnAt !== null,
      })),
    }
  }
  const after = async (done: string | Refusal) => (isRefusal(done) ? done : reply())
  return [
    handle(getOperatorIncidents, reply),
    handle(postOperatorIncident, async ({ account: who }, { body }) => {
      const { title, impact, components, text, why } = body
      const draft = { title, impact, components: components as Component[], text }
      return after(await announcing.openIncident(draft, { who, why }))
    }),
    handle(postOperatorIncidentUpdate, async ({ account: who }, { params: { id }, body }) => {
      const { phase, text, why } = body
      return after(await announcing.updateIncident(id, { phase, text }, { who, why }))
    }),
    handle(postOperatorIncidentWithdrawal, async ({ account: who }, { params: { id }, body }) =>
      after(await announcing.withdrawIncident(id, { who, why: body.why })),
    ),
  ]
}
