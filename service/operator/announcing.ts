import { type Refusal, refuse } from '@ergon/contract'
import { isUuid } from '../kernel/index.ts'
import type { AnnouncementRow, Draft, Incident, IncidentDraft, Status } from '../status/index.ts'
import type { Actions } from './actions.ts'

type Named = { who: string; why: string }
type Phase = Parameters<Status['incidents']['update']>[1]['phase']
type Result = { id: string; before?: AnnouncementRow | null } | { fault: string } | undefined

export type Announcing = ReturnType<typeof createAnnouncing>

/** What clients are told about the service, in an operator's name, for the console and the commands. */
export function createAnnouncing(deps: { publicStatus: Status; actions: Actions }) {
  const { publicStatus, actions } = deps
  const { announcements, incidents } = publicStatus

  /** Logs the change with the words before and after it. */
  function perform(
    deed: { what: string; subject: string } & Named,
    after: Record<string, unknown>,
    work: () => Promise<Result>,
  ): Promise<string | Refusal> {
    return actions.perform<string>(deed, async () => {
      const done = await work()
      if (!done) return missing()
      if ('fault' in done) return refuse('validation_error', { message: done.fault })
      const before = done.before ? { before: shownBefore(done.before) } : {}
      return { reply: done.id, change: { id: done.id, ...before, ...after } }
    })
  }

  /** The same with one that exists: a word that is no id leaves no line. */
  const performOn = (
    id: string,
    deed: { what: string } & Named,
    after: Record<string, unknown>,
    work: () => Promise<Result>,
  ): Promise<string | Refusal> =>
    isUuid(id) ? perform({ ...deed, subject: id }, after, work) : Promise.resolve(missing())

  return {
    announcements: () => announcements.list(),
    write: (draft: Draft, named: Named) =>
      perform({ what: 'announce', subject: draft.kind, ...named }, { after: draft }, () =>
        announcements.write(draft, named.who),
      ),
    edit: (id: string, draft: Omit<Draft, 'kind'>, named: Named) =>
      performOn(id, { what: 'edit_announcement', ...named }, { after: draft }, () =>
        announcements.edit(id, draft),
      ),
    end: (id: string, named: Named) =>
      performOn(id, { what: 'end_announcement', ...named }, {}, () => announcements.end(id)),
    withdraw: (id: string, named: Named) =>
      performOn(id, { what: 'withdraw_announcement', ...named }, {}, () =>
        announcements.withdraw(id),
      ),
    incidents: (): Promise<Incident[]> => incidents.list(),
    openIncident: (draft: IncidentDraft, named: Named) =>
      perform({ what: 'open_incident', subject: draft.impact, ...named }, { after: draft }, () =>
        incidents.open(draft, named.who),
      ),
    updateIncident: (id: string, said: { phase: Phase; text: string }, named: Named) =>
      performOn(id, { what: 'update_incident', ...named }, { after: said }, () =>
        incidents.update(id, { ...said, who: named.who }),
      ),
    withdrawIncident: (id: string, named: Named) =>
      performOn(id, { what: 'withdraw_incident', ...named }, {}, () => incidents.withdraw(id)),
  }
}

const shownBefore = ({ id: _id, kind: _kind, writtenBy: _by, ...words }: AnnouncementRow) => words

const missing = () => refuse('not_found', { message: 'There is nothing with this id.' })
