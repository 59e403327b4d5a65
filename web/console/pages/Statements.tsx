import type { getOperatorStatements, Reply } from '@ergon/contract'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { grouped } from '../../shared/money.ts'
import { EmptyState, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import { When } from '../../shared/When.tsx'
import { statementEffectQuery, statementsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown } from '../Shown.tsx'

type Data = Reply<typeof getOperatorStatements>
type Difference = Data['differences'][number]

const KINDS: Record<Difference['kind'], string> = {
  never_asked: 'Charged, and we never asked for it',
  other_amount: 'Charged another amount',
  not_charged: 'We booked it, and they did not charge it',
  charged_twice: 'Charged more than once',
  refunded: 'Refunded by them, and not in our books',
  balance: 'The balance fell by another amount',
}
const WAYS = { orders: 'order by order', balance: 'by its balance', none: '' } as const

/** What marketplaces say that they charged, against the books. */
export function Statements({ from, to }: { from: string; to: string }) {
  const statements = useQuery(statementsQuery(from, to))
  return (
    <Shown query={statements}>
      {(data) => (
        <>
          <Differences differences={data.differences} />
          <Compared {...data} />
        </>
      )}
    </Shown>
  )
}

const isWaiting = ({ state }: Difference) => state === 'open' || state === 'claimed'

function Differences({ differences }: { differences: Difference[] }) {
  const waiting = differences.filter(isWaiting)
  const settled = differences.filter((one) => !isWaiting(one))
  return (
    <Panel title="Differences with marketplaces">
      {waiting.length === 0 ? (
        <EmptyState title="Nothing waits for a decision">
          What a marketplace charged and what was booked for it are compared every night. What
          differs comes here.
        </EmptyState>
      ) : (
        waiting.map((one) => <Waiting key={one.id} {...one} />)
      )}
      {settled.length > 0 && (
        <details>
          <summary>Settled: {settled.length}</summary>
          <Settled rows={settled} />
        </details>
      )}
    </Panel>
  )
}

function Waiting(one: Difference) {
  return (
    <section aria-label={`${one.provider} ${one.day}: ${KINDS[one.kind]}`}>
      <Text size="sm" component="div" mt="sm">
        <strong>{one.provider}</strong>, {dayWords(one.day)}: {KINDS[one.kind]}.{' '}
        {one.state === 'claimed' && `Claimed by ${one.decided_by}: ${one.why}`}
      </Text>
      <Text size="sm" component="div">
        Theirs <Trx value={one.theirs_trx} unit />, ours <Trx value={one.ours_trx} unit />,
        difference <Trx value={one.difference_trx} signed unit />; first seen{' '}
        <When at={one.first_seen_at} />
      </Text>
      {(one.order_id || one.attempt_id) && (
        <Text size="sm" c="dimmed" component="div">
          {one.order_id && (
            <>
              Their order <Address value={one.order_id} />{' '}
            </>
          )}
          {one.attempt_id && (
            <>
              our attempt <Address value={one.attempt_id} />
            </>
          )}
        </Text>
      )}
      <Group mt="xs" gap="xs">
        <Decision {...one} name="Accept their figure" decision="accept" />
        {one.state === 'open' && <Decision {...one} name="Claim it back" decision="claim" />}
        <Decision {...one} name="Dismiss" decision="dismiss" />
      </Group>
    </section>
  )
}

type Choice = 'accept' | 'claim' | 'dismiss'

function Decision(props: Difference & { name: string; decision: Choice }) {
  const { id, name, decision, difference_trx, provider, day } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Deed
      name={name}
      of={`${provider} ${day}`}
      path={`/books/statements/${id}`}
      body={{ resolution: decision, difference_trx }}
      onOpen={() => setIsOpen(true)}
    >
      {isOpen && <Effect id={id} decision={decision} />}
    </Deed>
  )
}

/** What the ledger will hold, as the service works it out. */
function Effect({ id, decision }: { id: string; decision: Choice }) {
  const effect = useQuery(statementEffectQuery(id, decision))
  return <Shown query={effect}>{({ sentence }) => <p>{sentence}</p>}</Shown>
}

function Settled({ rows }: { rows: Difference[] }) {
  return (
    <Rows
      label="Settled differences"
      head={['Marketplace', 'Day', 'What', 'Difference', 'How']}
      right={['Difference']}
    >
      {rows.map((one) => (
        <tr key={one.id}>
          <td>{one.provider}</td>
          <td data-label="Day">{dayWords(one.day)}</td>
          <td data-label="What">{KINDS[one.kind]}</td>
          <td className="right" data-label="Difference">
            <Trx value={one.difference_trx} signed />
          </td>
          <td data-label="How">
            {one.note ?? `${one.state} by ${one.decided_by}`}
            {one.why && <div className="soft">{one.why}</div>}
          </td>
        </tr>
      ))}
    </Rows>
  )
}

function Compared({ sources, days }: Data) {
  return (
    <Panel
      title="Statements of marketplaces"
      action={
        sources.some(({ way }) => way !== 'none') && (
          <Deed name="Compare now" path="/books/statements/run">
            A worker reads all statements and compares them, within a minute. Nothing is booked.
          </Deed>
        )
      }
    >
      {sources.length === 0 && (
        <EmptyState title="No statement has been compared yet">
          The first comparison is at 02:00 UTC, once a marketplace has its key.
        </EmptyState>
      )}
      {sources.map((one) => (
        <Text key={one.provider} size="sm" component="div">
          <Standing {...one} />
        </Text>
      ))}
      {days.length > 0 && <Days days={days} />}
    </Panel>
  )
}

function Standing({ provider, way, compared_at, trouble, reading }: Data['sources'][number]) {
  if (way === 'none') {
    return (
      <>
        {provider}: <span className="soft">cannot be compared; its API tells no charges.</span>
      </>
    )
  }
  return (
    <>
      {provider}, {WAYS[way]}:{' '}
      {compared_at ? <When at={compared_at} /> : <span className="soft">not compared yet</span>}
      {reading && ' · being read'} {trouble && <Health ok={false}>{trouble}</Health>}
    </>
  )
}

function Days({ days }: { days: Data['days'] }) {
  return (
    <Rows
      label="Statements by day"
      head={['Day', 'Marketplace', 'Theirs', 'Ours', 'Orders', 'Open']}
      right={['Theirs', 'Ours', 'Orders', 'Open']}
    >
      {days.map((one) => (
        <tr key={`${one.provider} ${one.day}`}>
          <td>{dayWords(one.day)}</td>
          <td data-label="Marketplace">{one.provider}</td>
          <td className="right" data-label="Theirs">
            <Trx value={one.theirs_trx} />
          </td>
          <td className="right" data-label="Ours">
            <Trx value={one.ours_trx} />
          </td>
          <td className="right" data-label="Orders">
            {grouped(one.matched)}
          </td>
          <td className="right" data-label="Open">
            {grouped(one.open)}
          </td>
        </tr>
      ))}
    </Rows>
  )
}
