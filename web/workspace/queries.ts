import type {
  getAccount,
  getAgentConfigs,
  getAgentPayments,
  getAgentQuote,
  getAgentReport,
  getAgentSummary,
  getAnnouncements,
  getChats,
  getCheckout,
  getDeposits,
  getEstimate,
  getInvoices,
  getKeys,
  getMovements,
  getOrder,
  getOrderSearch,
  getOrders,
  getOverview,
  getParticulars,
  getPublicPricing,
  getPublicProof,
  getReceiver,
  getRequests,
  getSandboxChat,
  getSandboxProviders,
  getSession,
  getSessions,
  getSettings,
  getStatement,
  getSubscriptions,
  getSubscriptionUsage,
  getTerms,
  getWebhookDeliveries,
  getWebhookDelivery,
  getWebhooks,
  Reply,
} from '@ergon/contract'
import {
  type FetchQueryOptions,
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { ApiTrouble, get, request } from '../shared/api.ts'
import { pause } from '../shared/pause.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Also while the browser believes to be offline: the page says when nothing answers.
      networkMode: 'always',
      staleTime: 5_000,
      // No retry after a refusal, which would be repeated; only after no answer or a server error.
      retry: (count, error) => count < 2 && (!(error instanceof ApiTrouble) || error.status >= 500),
    },
  },
})

const isFinal = (status: string | undefined) => status === 'COMPLETED' || status === 'FAILED'
const FOLLOW_MS = 2_500

const ANNOUNCEMENTS_MS = 60_000
/** What operators tell clients; also what begins while a page is open. */
export const announcementsQuery = queryOptions({
  queryKey: ['announcements'],
  queryFn: () => get<Reply<typeof getAnnouncements>>('/announcements'),
  refetchInterval: ANNOUNCEMENTS_MS,
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => get<Reply<typeof getSession>>('/session'),
  staleTime: 60_000,
  // Others may move the sandbox's clock; each answer carries its time.
  refetchInterval: ({ state }) => (state.data?.sandbox ? 5_000 : false),
})
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => get<Reply<typeof getAccount>>('/account'),
})
export type Overview = Reply<typeof getOverview>
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => get<Reply<typeof getOverview>>('/overview'),
})
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => get<Reply<typeof getSettings>>('/settings'),
})
export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: () => request<Reply<typeof getPublicPricing>>('GET', '/v1/public/pricing'),
  staleTime: 60_000,
})
export const estimateQuery = (amount: number) =>
  queryOptions({
    queryKey: ['estimate', amount],
    queryFn: () => get<Reply<typeof getEstimate>>(`/estimate?resource_amount=${amount}`),
    enabled: Number.isSafeInteger(amount) && amount > 0,
    placeholderData: (before) => before,
  })
export const receiverQuery = (address: string) =>
  queryOptions({
    queryKey: ['receiver', address],
    queryFn: () =>
      get<Reply<typeof getReceiver>>(`/receiver?address=${encodeURIComponent(address)}`),
    enabled: address.length >= 30,
  })
/** What a list of orders is narrowed to; the address of the page holds it. */
export type OrderFilter = {
  q?: string
  status?: string
  source?: string
  from?: string
  to?: string
}
type Found = Reply<typeof getOrders> & Partial<Reply<typeof getOrderSearch>>

/** Orders, newest first; with a state, source or day also their sums. */
export const ordersQuery = ({
  page = 1,
  size = 20,
  ...filter
}: OrderFilter & { page?: number; size?: number }) =>
  queryOptions({
    queryKey: ['orders', page, size, filter],
    queryFn: () => {
      const { q, ...of } = filter
      const chosen = Object.entries({ ...of, receiver_address: q }).filter(([, value]) => value)
      const isSearch = Object.values(of).some(Boolean)
      const query = new URLSearchParams([
        ['page', String(page)],
        ['page_size', String(size)],
        ...(chosen as [string, string][]),
      ])
      return get<Found>(`/orders${isSearch ? '/search' : ''}?${query}`)
    },
    placeholderData: (before) => before,
  })
/** As many as an account may have at once. */
const UNPAID_MAX = 50
export const unpaidQuery = ordersQuery({ status: 'AWAITING_PAYMENT', size: UNPAID_MAX })
export const orderQuery = (id: string) =>
  queryOptions({
    queryKey: ['order', id],
    queryFn: () => get<Reply<typeof getOrder>>(`/order/${id}`),
    enabled: id !== '',
    // The live stream is faster; polling is for when it is down.
    refetchInterval: ({ state }) => (isFinal(state.data?.status) ? false : FOLLOW_MS),
  })
/** Anybody may read it; here for what was given back. */
export const proofQuery = (id: string) =>
  queryOptions({
    queryKey: ['proof', id],
    queryFn: () => request<Reply<typeof getPublicProof>>('GET', `/v1/public/proof/${id}`),
    staleTime: 60_000,
  })
export const checkoutQuery = (id: string) =>
  queryOptions({
    queryKey: ['checkout', id],
    queryFn: () => get<Reply<typeof getCheckout>>(`/checkouts/${id}`),
    enabled: id !== '',
    refetchInterval: ({ state }) => (isFinal(state.data?.status) ? false : FOLLOW_MS),
  })
/** The amount of a checkout never changes. */
export const amountToSendQuery = (id: string) =>
  queryOptions({
    ...checkoutQuery(id),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
export const depositsQuery = queryOptions({
  queryKey: ['deposits'],
  queryFn: () => get<Reply<typeof getDeposits>>('/deposits?limit=100'),
  refetchInterval: ({ state }) =>
    state.data?.deposits.some(({ verified_at }) => verified_at === null) ? 5_000 : false,
})
export const movementsQuery = (month: string, type: string) =>
  queryOptions({
    queryKey: ['transactions', month, type],
    queryFn: () =>
      get<Reply<typeof getMovements>>(
        `/statements/${month}/entries${type && `?entry_type=${encodeURIComponent(type)}`}`,
      ),
    placeholderData: (before) => before,
  })
export const statementQuery = (month: string) =>
  queryOptions({
    queryKey: ['statement', month],
    queryFn: () => get<Reply<typeof getStatement>>(`/statements/${month}`),
  })
export const invoicesQuery = queryOptions({
  queryKey: ['invoices'],
  queryFn: () => get<Reply<typeof getInvoices>>('/invoices'),
})
export const particularsQuery = queryOptions({
  queryKey: ['particulars'],
  queryFn: () => get<Reply<typeof getParticulars>>('/particulars'),
})
/** Texts change when the operator restarts the service. */
export const termsQuery = queryOptions({
  queryKey: ['terms'],
  queryFn: () => get<Reply<typeof getTerms>>('/terms'),
  staleTime: 3_600_000,
})
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => get<Reply<typeof getKeys>>('/keys'),
})
export type ApiKey = Reply<typeof getKeys>['keys'][number]

export type ApiRequest = Reply<typeof getRequests>['requests'][number]
export type RequestFilter = { status?: '2xx' | '4xx' | '5xx'; route?: string }
export const requestsQuery = (filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: ['requests', filter],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ ...filter, ...(pageParam && { before: pageParam }) })
      return get<Reply<typeof getRequests>>(`/requests?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last.has_more ? last.requests.at(-1)?.id : undefined),
    placeholderData: (before) => before,
  })
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => get<Reply<typeof getSessions>>('/sessions'),
})
export const providersQuery = queryOptions({
  queryKey: ['sandbox', 'providers'],
  queryFn: () => request<Reply<typeof getSandboxProviders>>('GET', '/sandbox/providers'),
})

export const againAgent = () => queryClient.invalidateQueries({ queryKey: ['agent'] })

export const agentSummaryQuery = queryOptions({
  queryKey: ['agent', 'summary'],
  queryFn: () => get<Reply<typeof getAgentSummary>>('/agent/summary'),
})
export type AgentConfig = Reply<typeof getAgentConfigs>['items'][number]
export const agentConfigsQuery = queryOptions({
  queryKey: ['agent', 'configs'],
  queryFn: () => get<Reply<typeof getAgentConfigs>>('/agent/configs'),
})
export const agentPaymentsQuery = queryOptions({
  queryKey: ['agent', 'payments'],
  queryFn: () => get<Reply<typeof getAgentPayments>>('/agent/payments?page_size=50'),
  refetchInterval: 5_000,
})
export type AgentReport = Reply<typeof getAgentReport>
export const agentReportQuery = queryOptions({
  queryKey: ['agent', 'report'],
  queryFn: () => get<AgentReport>('/agent/report'),
})
export const agentQuoteQuery = (energy: number) =>
  queryOptions({
    queryKey: ['agent', 'quote', energy],
    queryFn: () => get<Reply<typeof getAgentQuote>>(`/agent/quote?energy=${energy}`),
    enabled: Number.isSafeInteger(energy) && energy > 0,
    retry: false,
  })

export type Subscription = Reply<typeof getSubscriptions>[number]
export const subscriptionsQuery = queryOptions({
  queryKey: ['autoenergy'],
  queryFn: () => get<Reply<typeof getSubscriptions>>('/autoenergy/subscriptions'),
  refetchInterval: 5_000,
})
export type Usage = Reply<typeof getSubscriptionUsage>
/** The newest covered transfers of an address: enough for a chart of two weeks. */
export const usageQuery = (address: string) =>
  queryOptions({
    queryKey: ['autoenergy', address, 'usage'],
    queryFn: () => get<Usage>(`/autoenergy/subscriptions/${address}/usage?limit=100`),
  })

export type Webhook = Reply<typeof getWebhooks>['webhooks'][number]
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => get<Reply<typeof getWebhooks>>('/webhooks'),
  refetchInterval: 5_000,
})
export type InspectedDelivery = Reply<typeof getWebhookDelivery>
export const deliveryQuery = (webhook: string, id: string) =>
  queryOptions({
    queryKey: ['webhooks', webhook, 'delivery', id],
    queryFn: () => get<InspectedDelivery>(`/webhooks/${webhook}/deliveries/${id}`),
  })
export const deliveriesQuery = (webhook: string, limit: number) =>
  queryOptions({
    queryKey: ['webhooks', webhook, 'deliveries', limit],
    queryFn: () =>
      get<Reply<typeof getWebhookDeliveries>>(`/webhooks/${webhook}/deliveries?limit=${limit}`),
    refetchInterval: 5_000,
    placeholderData: (before) => before,
  })
/** Reloads the list and every log under it. */
export const againWebhooks = () =>
  queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })

export type Chat = Reply<typeof getChats>['chats'][number]
export const chatsQuery = queryOptions({
  queryKey: ['chats'],
  queryFn: () => get<Reply<typeof getChats>>('/chats'),
  // A chat is linked in its own app, and may be unlinked there with /stop.
  refetchInterval: 3_000,
})
export const againChats = () => queryClient.invalidateQueries({ queryKey: chatsQuery.queryKey })
/** The messages of our bot in a chat of the sandbox's stand-in. */
export const sandboxChatQuery = (chat: string) =>
  queryOptions({
    queryKey: ['sandbox', 'chat', chat],
    queryFn: () => request<Reply<typeof getSandboxChat>>('GET', `/sandbox/chat/${chat}`),
    refetchInterval: 2_000,
  })

export const lastOrdersQuery = ordersQuery({ size: 5 })
/** All that the overview shows. Asked for at once: what comes later would push the rest down. */
export const overviewQueries = [
  overviewQuery,
  accountQuery,
  lastOrdersQuery,
  settingsQuery,
  webhooksQuery,
  agentConfigsQuery,
  subscriptionsQuery,
  depositsQuery,
  keysQuery,
] as const

/** Asks for what the page shows before the page itself is there. */
export async function readAhead(path: string): Promise<void> {
  const more = path === '/overview' ? overviewQueries : [accountQuery]
  for (const query of [sessionQuery, ...more]) {
    await pause()
    void queryClient.prefetchQuery(query as object as FetchQueryOptions)
  }
}
