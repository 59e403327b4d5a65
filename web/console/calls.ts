import type {
  BooksGroup,
  getOperatorAccount,
  getOperatorAccounts,
  getOperatorActions,
  getOperatorAdjustments,
  getOperatorAgents,
  getOperatorAnnouncements,
  getOperatorBars,
  getOperatorBooks,
  getOperatorCapacity,
  getOperatorDecisionEffect,
  getOperatorFindings,
  getOperatorFloats,
  getOperatorFound,
  getOperatorGroups,
  getOperatorHotWallet,
  getOperatorIncidents,
  getOperatorInvoices,
  getOperatorMonths,
  getOperatorNotes,
  getOperatorOrder,
  getOperatorOrders,
  getOperatorPayouts,
  getOperatorPlans,
  getOperatorProviders,
  getOperatorReferral,
  getOperatorSchedule,
  getOperatorSession,
  getOperatorStakeCost,
  getOperatorStakes,
  getOperatorStatementEffect,
  getOperatorStatements,
  getOperatorStatus,
  getOperatorSwitches,
  getOperatorTeam,
  getOperatorTreasury,
  getOperatorUndecided,
  getPublicScorecard,
  postOperatorStakePreview,
  Reply,
  Route,
} from '@ergon/contract'
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiTrouble, request } from '../shared/api.ts'
import { findApprovalKey } from './approvalKey.ts'
import { idleHeader } from './idle.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Also while the browser believes to be offline: the page says when nothing answers.
      networkMode: 'always',
      staleTime: 2_000,
      retry: (count, error) => count < 2 && (!(error instanceof ApiTrouble) || error.status >= 500),
    },
  },
})

const read = <R extends Route>(
  path: string,
  refetchInterval: number | false = 10_000,
  base = '/operator/v1',
) =>
  queryOptions({
    queryKey: ['operator', path],
    queryFn: () => request<Reply<R>>('GET', `${base}${path}`, undefined, idleHeader()),
    refetchInterval,
    placeholderData: (before) => before,
  })

/** Changes something, then reloads all queries: other pages may show what was changed. */
export async function act<T>(path: string, body: unknown = {}): Promise<T> {
  const done = await request<T>('POST', `/operator/v1${path}`, body)
  await queryClient.invalidateQueries({ queryKey: ['operator'] })
  return done
}

export const sessionQuery = read<typeof getOperatorSession>('/session')
export const statusQuery = read<typeof getOperatorStatus>('/status', 5_000)
export const capacityQuery = read<typeof getOperatorCapacity>('/capacity')
export const stakeCostQuery = read<typeof getOperatorStakeCost>('/stakes/cost')
export const providersQuery = read<typeof getOperatorProviders>('/providers', 5_000)
export const switchesQuery = read<typeof getOperatorSwitches>('/switches', 5_000)
export const undecidedQuery = read<typeof getOperatorUndecided>('/undecided', 5_000)
export const effectQuery = (id: string, decision: string, energy?: string) =>
  read<typeof getOperatorDecisionEffect>(
    `/undecided/${id}/effect?decision=${decision}${energy ? `&energy=${energy}` : ''}`,
    false,
  )
export const scheduleQuery = read<typeof getOperatorSchedule>('/schedule', false)
export const plansQuery = read<typeof getOperatorPlans>('/plans', false)
export const announcementsQuery = read<typeof getOperatorAnnouncements>('/announcements')
export const incidentsQuery = read<typeof getOperatorIncidents>('/incidents')
export const agentsQuery = read<typeof getOperatorAgents>('/agent/configs')
export const barsQuery = read<typeof getOperatorBars>('/autoenergy/bars')
export const treasuryQuery = read<typeof getOperatorTreasury>('/treasury')
export const hotWalletQuery = read<typeof getOperatorHotWallet>('/treasury/hot-wallet')
export const floatsQuery = read<typeof getOperatorFloats>('/treasury/floats')
export const payoutsQuery = read<typeof getOperatorPayouts>('/payouts')
export const stakesQuery = read<typeof getOperatorStakes>('/stakes')
/** What an operation would do; it changes nothing. */
export const stakePreview = (body: Record<string, unknown>) =>
  queryOptions({
    queryKey: ['operator', '/stakes/preview', body],
    queryFn: () =>
      request<Reply<typeof postOperatorStakePreview>>('POST', '/operator/v1/stakes/preview', body),
    retry: false,
  })
export const adjustmentsQuery = read<typeof getOperatorAdjustments>('/adjustments')
export const teamQuery = read<typeof getOperatorTeam>('/team')
export const actionsPath = (filter: Record<string, string>) =>
  `/actions?${new URLSearchParams({ limit: '100', ...filter })}`
export const actionsQuery = (filter: Record<string, string>) =>
  read<typeof getOperatorActions>(actionsPath(filter))
/** All pages of the log, for a file. */
export async function allActions(filter: Record<string, string>) {
  const all: Reply<typeof getOperatorActions>['actions'] = []
  for (let before = ''; ; ) {
    const asked = { ...filter, limit: '200', ...(before && { before }) }
    const path = `/operator/v1${actionsPath(asked)}`
    const { actions } = await request<Reply<typeof getOperatorActions>>('GET', path)
    all.push(...actions)
    if (actions.length < 200) return all
    before = actions.at(-1)!.id
  }
}
export const findingsQuery = read<typeof getOperatorFindings>('/findings')
export const booksQuery = (from: string, to: string, by: BooksGroup) =>
  read<typeof getOperatorBooks>(`/books?from=${from}&to=${to}&by=${by}`, 60_000)
export const monthsQuery = read<typeof getOperatorMonths>('/books/months', 60_000)
export const statementsQuery = (from: string, to: string) =>
  read<typeof getOperatorStatements>(`/books/statements?from=${from}&to=${to}`)
export const statementEffectQuery = (id: string, resolution: string) =>
  read<typeof getOperatorStatementEffect>(
    `/books/statements/${id}/effect?resolution=${resolution}`,
    false,
  )
export const scorecardQuery = read<typeof getPublicScorecard>('/public/scorecard', 60_000, '/v1')
export const foundQuery = (text: string) => ({
  ...read<typeof getOperatorFound>(`/find?text=${encodeURIComponent(text)}`, false),
  enabled: text !== '',
})
export const ordersQuery = (status: string) =>
  read<typeof getOperatorOrders>(`/orders?limit=50${status && `&status=${status}`}`, 5_000)
export const orderQuery = (id: string) => read<typeof getOperatorOrder>(`/orders/${id}`)
export const accountsQuery = (search: string) =>
  read<typeof getOperatorAccounts>(`/accounts?search=${encodeURIComponent(search)}`)
export const groupsQuery = read<typeof getOperatorGroups>('/groups', 60_000)
export const accountQuery = (id: string) => read<typeof getOperatorAccount>(`/accounts/${id}`)
export const invoicesQuery = (id: string) =>
  read<typeof getOperatorInvoices>(`/accounts/${id}/invoices`, false)
export const notesQuery = (id: string) => read<typeof getOperatorNotes>(`/accounts/${id}/notes`)
export const referralQuery = read<typeof getOperatorReferral>('/referral', 60_000)
/** Stored in this browser, not at the server; null: there is none. */
export const approvalKeyQuery = (email: string) =>
  queryOptions({ queryKey: ['approval-key', email], queryFn: () => findApprovalKey(email) })
