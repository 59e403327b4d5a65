import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Chart } from '../../shared/charts/Chart.tsx'
import { grouped } from '../../shared/money.ts'
import { Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { capacityQuery, providersQuery, statusQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown, ShownPanel } from '../Shown.tsx'
import { StakeCosts } from './StakeCosts.tsx'

const USUAL = 65_000n

/** Is the service selling, is it solvent, is any work stuck: three answers with their evidence. */
export function Status() {
  const status = useQuery(statusQuery)
  return (
    <Page title="Status">
      <Shown query={status}>
        {({ selling, solvent, stuck, books, scanner, bandwidth, put_aside }) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 3 }} aria-live="polite">
              <Panel title="Selling">
                <Health ok={selling.ok}>{selling.sentence}</Health>
                <Text size="sm" c="dimmed" mt="xs">
                  {String(selling.price_sun)} SUN per Energy now
                  {selling.wholesale_sun !== null &&
                    `, costs us ${Number((Number(selling.wholesale_sun) / Number(USUAL)).toFixed(2))}`}
                </Text>
                {selling.sizes.some(({ sold }) => !sold) && (
                  <Text size="sm" c="red" mt="xs" component="ul">
                    {selling.sizes.map(
                      ({ energy, why }) =>
                        why !== null && (
                          <li key={String(energy)}>
                            {grouped(energy)} Energy is not sold now: {why}.
                          </li>
                        ),
                    )}
                  </Text>
                )}
              </Panel>
              <Panel title="Solvent">
                <Health ok={solvent.ok}>{solvent.sentence}</Health>
                {solvent.reconciliation && (
                  <Text size="sm" c="dimmed" mt="xs">
                    Owed <Trx value={solvent.reconciliation.clients_trx} unit />, reconciled{' '}
                    <When at={solvent.reconciliation.read_at} />
                  </Text>
                )}
              </Panel>
              <Panel title="Stuck">
                <Health ok={stuck.ok}>{stuck.sentence}</Health>
                <Text size="sm" c="dimmed" mt="xs">
                  Block {grouped(scanner.block)}, {scanner.lag_seconds} s old
                </Text>
                {scanner.trouble !== null && <Health ok={false}>{scanner.trouble}</Health>}
                <Text size="sm" c={books.ok ? 'dimmed' : 'red'} mt="xs">
                  {books.sentence}
                </Text>
              </Panel>
            </SimpleGrid>
            <Panel title="Bandwidth of own stake">
              <Health ok={bandwidth.ok}>{bandwidth.sentence}</Health>
            </Panel>
            {stuck.work.length > 0 && (
              <Panel title="Needs a look">
                <Rows
                  label="Needs a look"
                  head={['What', 'How many', 'Since']}
                  right={['How many']}
                >
                  {stuck.work.map((one) => (
                    <tr key={one.what}>
                      <td>
                        <Link to={one.page}>{one.sentence}</Link>
                      </td>
                      <td className="right">{String(one.count)}</td>
                      <td data-label="Since">
                        <When at={one.since} />
                      </td>
                    </tr>
                  ))}
                </Rows>
              </Panel>
            )}
            {put_aside.length > 0 && (
              <Panel title="Put aside">
                <Rows label="Put aside" head={['What', 'Loop', 'Error', 'Since', 'Next try']}>
                  {put_aside.map((one) => (
                    <tr key={`${one.loop} ${one.subject}`}>
                      <td>{one.subject}</td>
                      <td data-label="Loop">{one.loop}</td>
                      <td data-label="Error">{one.error}</td>
                      <td data-label="Since">
                        <When at={one.since} />
                      </td>
                      <td data-label="Next try">
                        <When at={one.next_try_at} />
                      </td>
                    </tr>
                  ))}
                </Rows>
              </Panel>
            )}
          </>
        )}
      </Shown>
      <Providers />
      <StakeCosts />
      <Capacity />
    </Page>
  )
}

function Providers() {
  const providers = useQuery(providersQuery)
  return (
    <ShownPanel title="Providers" query={providers}>
      {(data) => (
        <Rows
          label="Providers"
          head={[
            'Provider',
            'Health',
            'SUN',
            'Energy on offer',
            'Fills now',
            'Prepaid TRX',
            'Switch',
          ]}
          right={['SUN', 'Energy on offer', 'Fills now', 'Prepaid TRX']}
        >
          {data.providers.map((one) => (
            <tr key={one.name}>
              <td>{one.name}</td>
              <td>
                <Health ok={one.healthy}>{one.trouble ?? 'can sell'}</Health>
              </td>
              <td className="right" data-label="SUN">
                {one.price_sun === null ? '–' : String(one.price_sun)}
              </td>
              <td className="right" data-label="Energy">
                {one.capacity === null ? '–' : grouped(String(one.capacity))}
              </td>
              <td className="right" data-label="Fills now">
                {one.fill_rate_bps / 100} %
              </td>
              <td className="right" data-label="Prepaid TRX">
                {one.float_trx === null ? '–' : <Trx value={one.float_trx} />}
              </td>
              <td className="deed">
                <Deed
                  name={one.enabled ? 'Turn off' : 'Turn on'}
                  of={one.name}
                  danger={one.enabled}
                  path={`/switches/${encodeURIComponent(`provider:${one.name}`)}`}
                  body={{ enabled: !one.enabled }}
                >
                  {one.enabled
                    ? `Nothing more is bought from ${one.name}, on every node, at once.`
                    : `Orders may go to ${one.name} again.`}
                </Deed>
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </ShownPanel>
  )
}

function Capacity() {
  const capacity = useQuery(capacityQuery)
  return (
    <ShownPanel title="Own Energy over the next 24 hours" query={capacity}>
      {({ free_now, hours }) => {
        const last = hours.at(-1)?.free ?? free_now
        const words = `Free now ${grouped(String(free_now))}, in 24 hours ${grouped(String(last))} if nothing more is sold.`
        return (
          <>
            <Chart
              label={words}
              labels={['now', ...hours.map((_, at) => `+${at + 1} h`)]}
              series={[
                {
                  name: 'Free Energy',
                  kind: 'line',
                  colour: '--series-1',
                  values: [free_now, ...hours.map(({ free }) => free)].map(Number),
                },
              ]}
              words={(value) => grouped(Math.round(value))}
              empty="No own stake: there is nothing of our own to sell."
            />
            <Text size="sm" c="dimmed" mt="xs">
              {words}
            </Text>
          </>
        )
      }}
    </ShownPanel>
  )
}
