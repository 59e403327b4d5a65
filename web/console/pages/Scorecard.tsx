import type { getPublicScorecard, Reply } from '@ergon/contract'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { grouped } from '../../shared/money.ts'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { scorecardQuery } from '../calls.ts'
import { Rows, Shown } from '../Shown.tsx'

type Provider = Reply<typeof getPublicScorecard>['providers'][number]

const WINDOWS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' }
const NUMBERS = ['Attempts', 'Failed', 'Fill rate', 'Price', 'Median', '95 % within']

/** The same that everybody can read at /v1/public/scorecard. */
export function Scorecard() {
  const scorecard = useQuery(scorecardQuery)
  return (
    <Page title="Scorecard">
      <Shown query={scorecard}>
        {({ providers, method, counted_at }) => (
          <>
            {providers.length === 0 && (
              <Panel>
                <EmptyState title="Nobody was asked for Energy within 30 days">
                  Each provider gets a table with its first attempt.
                </EmptyState>
              </Panel>
            )}
            {providers.map((provider) => (
              <Card key={provider.name} {...provider} />
            ))}
            <Text size="sm" c="dimmed">
              {method}
              {counted_at && (
                <>
                  {' '}
                  Last counted <When at={counted_at} />.
                </>
              )}
            </Text>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Card({ name, windows }: Provider) {
  return (
    <Panel title={name}>
      <Rows label={name} head={['Window', ...NUMBERS]} right={NUMBERS}>
        {windows.map((one) => (
          <tr key={one.window}>
            <td>{WINDOWS[one.window]}</td>
            <td className="right" data-label="Attempts">
              {grouped(one.attempts)}
            </td>
            <td className="right" data-label="Failed">
              {grouped(one.failed)}
            </td>
            <td className="right" data-label="Fill rate">
              {shown(one.fill_rate_bps, (bps) => `${bps / 100} %`)}
            </td>
            <td className="right" data-label="Price">
              {shown(one.average_price_sun, (price) => `${price} SUN`)}
            </td>
            <td className="right" data-label="Median">
              {shown(one.median_seconds, (seconds) => `${grouped(seconds)} s`)}
            </td>
            <td className="right" data-label="95 % within">
              {shown(one.p95_seconds, (seconds) => `${grouped(seconds)} s`)}
            </td>
          </tr>
        ))}
      </Rows>
    </Panel>
  )
}

function shown<T>(value: T | null, words: (value: T) => string): string {
  return value === null ? '–' : words(value)
}
