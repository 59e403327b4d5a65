import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { undecidedQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Evidence, Shown } from '../Shown.tsx'

/** Attempts whose result neither the provider's API nor the chain shows: an operator decides. */
export function Undecided() {
  const queue = useQuery(undecidedQuery)
  return (
    <Page title="Undecided">
      <Shown query={queue}>
        {({ undecided }) =>
          undecided.length === 0 ? (
            <EmptyState title="Nothing to decide">
              Deliveries come here when a provider&apos;s answer was lost and the chain does not
              tell. The client has had the price back by then.
            </EmptyState>
          ) : (
            undecided.map((one) => (
              <Panel key={one.id} title={`${one.provider}: ${one.reason}`}>
                <Text size="sm" component="div">
                  <Energy value={Number(one.energy)} /> Energy for <Address value={one.receiver} />,
                  order <Address value={one.order_id} />, <When at={one.since} />
                </Text>
                <Evidence value={one.evidence} />
                <Group mt="sm" gap="xs">
                  <Deed
                    name="It was delivered"
                    path={`/undecided/${one.id}`}
                    body={{ decision: 'delivered' }}
                    disabled={!one.decidable}
                  >
                    The client keeps the refund. <Trx value={one.cost_trx} unit /> are booked as our
                    own cost and owed to {one.provider}.
                  </Deed>
                  <Deed
                    name="It never came"
                    path={`/undecided/${one.id}`}
                    body={{ decision: 'absent' }}
                    disabled={!one.decidable}
                  >
                    Nothing is owed to {one.provider}, and nothing is booked.
                  </Deed>
                  {!one.decidable && (
                    <Text size="sm" c="dimmed">
                      Its order is open: the chain may still tell.
                    </Text>
                  )}
                </Group>
              </Panel>
            ))
          )
        }
      </Shown>
    </Page>
  )
}
