import { Button, Drawer, Group, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Address } from '../../shared/Address.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { type ApiRequest, type RequestFilter, requestsQuery } from '../queries.ts'

const STATUSES = [
  { value: '', label: 'Every status' },
  { value: '2xx', label: 'Succeeded (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
]

type Search = RequestFilter & { id?: string }

/** What the account's programs asked for with their keys, and what they were answered. */
export function Requests() {
  const search: Search = useSearch({ strict: false })
  const { id, ...filter } = search
  const navigate = useNavigate()
  const go = (next: Search) => navigate({ to: '/requests', search: next })
  const query = useInfiniteQuery(requestsQuery(filter))
  const { data, error, refetch } = query
  const requests = data?.pages.flatMap((page) => page.requests) ?? []
  const isFiltered = Boolean(filter.status || filter.route)
  const chosen = requests.find((request) => request.id === id)
  const routes = [...new Set([...(data?.pages[0]?.routes ?? []), filter.route ?? ''])].filter(
    Boolean,
  )
  return (
    <Page title="API requests">
      <Group align="flex-end">
        <NativeSelect
          label="Status"
          data={STATUSES}
          value={filter.status ?? ''}
          onChange={({ currentTarget: { value } }) => go(filterOf(value, filter.route))}
        />
        <NativeSelect
          label="Route"
          data={[{ value: '', label: 'Every route' }, ...routes]}
          value={filter.route ?? ''}
          onChange={({ currentTarget: { value } }) => go(filterOf(filter.status, value))}
        />
        <Button variant="default" loading={query.isRefetching} onClick={() => refetch()}>
          Refresh
        </Button>
      </Group>
      {error && <Trouble error={error} retry={refetch} />}
      <Panel>
        {!data ? (
          <RowsSkeleton rows={8} />
        ) : requests.length === 0 ? (
          <Nothing isFiltered={isFiltered} />
        ) : (
          <RequestTable requests={requests} open={(next) => go({ ...filter, id: next })} />
        )}
      </Panel>
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          Show older
        </Button>
      )}
      <Drawer
        opened={chosen !== undefined}
        onClose={() => go(filter)}
        position="right"
        size="md"
        title="API request"
        closeButtonProps={{ 'aria-label': 'Close the request' }}
      >
        {chosen && <Facts request={chosen} />}
      </Drawer>
    </Page>
  )
}

function filterOf(status: string | undefined, route: string | undefined): RequestFilter {
  return {
    ...(status && { status: status as NonNullable<RequestFilter['status']> }),
    ...(route && { route }),
  }
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState title="No request matches">Choose another status or another route.</EmptyState>
    )
  }
  return (
    <EmptyState
      title="No requests yet"
      action={
        <Button component={Link} to="/keys">
          Create a key
        </Button>
      }
    >
      When your program calls the API, each request is listed here with its status, its time and,
      when it was refused, the reason. The last 10,000 are kept for seven days.
    </EmptyState>
  )
}

function RequestTable({ requests, open }: { requests: ApiRequest[]; open(id: string): void }) {
  return (
    <div className="scroll">
      <table className="rows stack">
        <thead>
          <tr>
            <th>Route</th>
            <th>Status</th>
            <th>Error</th>
            <th className="right">Duration</th>
            <th>When</th>
            <th>
              <span className="hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <tr key={request.id} className="open" onClick={() => open(request.id)}>
              <td>
                <code>
                  {request.method} {request.route}
                </code>
              </td>
              <td>
                <HttpStatus status={request.status} />
              </td>
              <td>
                {request.refusal ? <code>{request.refusal}</code> : <span className="soft">–</span>}
              </td>
              <td className="right nowrap" data-label="Duration">
                {durationWords(request.duration_ms)}
              </td>
              <td className="nowrap">
                <When at={request.at} />
              </td>
              <td className="right">
                <button type="button" className="plain" onClick={() => open(request.id)}>
                  Details
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Facts({ request }: { request: ApiRequest }) {
  const facts = [
    ['Route', <code key="route">{`${request.method} ${request.route}`}</code>],
    ['Status', <HttpStatus key="status" status={request.status} />],
    ['When', <When key="at" at={request.at} />],
    ['Duration', durationWords(request.duration_ms)],
    ['Request id', <Address key="id" value={request.request_id} whole />],
    ...(request.refusal
      ? [
          [
            'Error',
            <a key="why" href={`/docs/errors/${request.refusal}`}>
              {request.refusal}: what it means
            </a>,
          ],
        ]
      : []),
  ]
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={String(name)}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="soft">
        Addresses, bodies and headers are not recorded. Your program finds the request id in the
        header X-Request-Id of the response; support can find the request by it.
      </p>
    </>
  )
}

function HttpStatus({ status }: { status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'wait' : 'done'
  return <span className={`chip ${tone}`}>{status}</span>
}

const durationWords = (ms: number) =>
  ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
