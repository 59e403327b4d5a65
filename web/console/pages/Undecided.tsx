import type { getOperatorUndecided, Reply } from '@ergon/contract'
import { Group, NumberInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { Energy } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { effectQuery, undecidedQuery } from '../calls.ts'
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
                  <Decision {...one} name="It was delivered" decision="delivered" />
                  <Part {...one} />
                  <Decision {...one} name="It never came" decision="absent" />
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

type One = Reply<typeof getOperatorUndecided>['undecided'][number]

function Decision(props: One & { name: string; decision: 'delivered' | 'absent' }) {
  const { id, name, decision, decidable } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Deed
      name={name}
      path={`/undecided/${id}`}
      body={{ decision }}
      disabled={!decidable}
      onOpen={() => setIsOpen(true)}
    >
      {isOpen && <Effect id={id} decision={decision} />}
    </Deed>
  )
}

function Part({ id, energy: asked, decidable }: One) {
  const [energy, setEnergy] = useState('')
  const isPart = energy !== '' && Number(energy) > 0 && Number(energy) < Number(asked)
  return (
    <Deed
      name="Part of it came"
      path={`/undecided/${id}`}
      body={{ decision: 'partial', energy: Number(energy) }}
      disabled={!decidable}
      isReady={isPart}
    >
      <NumberInput
        label="Energy that came"
        description={`Less than the ${asked} that were asked for.`}
        min={1}
        max={Number(asked) - 1}
        allowDecimal={false}
        hideControls
        value={energy}
        onChange={(value) => setEnergy(String(value))}
      />
      {isPart && <Effect id={id} decision="partial" energy={energy} />}
    </Deed>
  )
}

/** What the ledger will hold, as the service works it out. */
function Effect({ id, decision, energy }: { id: string; decision: string; energy?: string }) {
  const effect = useQuery(effectQuery(id, decision, energy))
  return <Shown query={effect}>{({ sentence }) => <p>{sentence}</p>}</Shown>
}
