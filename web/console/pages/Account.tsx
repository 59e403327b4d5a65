import type { getOperatorAccount, postOperatorAdjustment, Reply } from '@ergon/contract'
import { Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { accountQuery, adjustmentsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'
import { Block } from './Block.tsx'
import { ClientGroup } from './ClientGroup.tsx'
import { Invoices } from './Invoices.tsx'
import { Notes } from './Notes.tsx'
import { OwnLimits } from './OwnLimits.tsx'

type Adjustment = Reply<typeof postOperatorAdjustment>

/** One account: its data, and what an operator may change. */
export function Account({ id }: { id: string }) {
  const account = useQuery(accountQuery(id))
  return (
    <Shown query={account}>
      {(data) => (
        <Stack>
          <Text fw={600}>{data.name || data.login || 'unnamed'}</Text>
          <div>
            <Trx value={data.balance_trx} unit />, <Trx value={data.spendable_trx} unit /> spendable
          </div>
          <Address value={data.id} whole />
          <Address value={data.deposit_address} whole />
          <Block id={id} now={data.blocked} />
          <Adjust id={id} />
          <ClientGroup id={id} now={data.group} />
          <Discount id={id} now={data.vip_discount_bps} />
          <OwnLimits key={JSON.stringify(data.limits)} id={id} now={data.limits} />
          <Payout id={id} />
          <Invoices id={id} />
          <Accepted of={data.accepted} />
          <Notes id={id} />
          <Rows
            label="Last entries"
            head={['Entry', 'TRX', 'Balance', 'When']}
            right={['TRX', 'Balance']}
          >
            {data.entries.map((entry) => (
              <tr key={`${entry.created_at} ${entry.entry_type} ${entry.balance_after_trx}`}>
                <td title={entry.description}>{entry.entry_type}</td>
                <td className="right">
                  <Trx value={entry.amount_trx} signed />
                </td>
                <td className="right" data-label="Balance">
                  <Trx value={entry.balance_after_trx} />
                </td>
                <td>
                  <When at={entry.created_at} />
                </td>
              </tr>
            ))}
          </Rows>
        </Stack>
      )}
    </Shown>
  )
}

/** Terms and privacy notices that the client accepted. */
function Accepted({ of }: { of: Reply<typeof getOperatorAccount>['accepted'] }) {
  if (of.length === 0) return <Text size="sm">It has accepted no terms.</Text>
  return (
    <Rows label="Accepted terms" head={['Accepted', 'Version', 'Where', 'When']}>
      {of.map((one) => (
        <tr key={`${one.document} ${one.version} ${one.at}`}>
          <td>{one.document === 'terms' ? 'Terms of use' : 'Privacy notice'}</td>
          <td>{one.version}</td>
          <td>{one.place === 'sign_up' ? 'at sign-up' : 'in the workspace'}</td>
          <td>
            <When at={one.at} />
          </td>
        </tr>
      ))}
    </Rows>
  )
}

function Adjust({ id }: { id: string }) {
  const { data } = useQuery(adjustmentsQuery)
  const [amount, setAmount] = useState('')
  const [made, setMade] = useState<Adjustment>()
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <TextInput
          label="Adjust by, TRX"
          placeholder="-2.5"
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value.trim())}
        />
        <Deed
          name="Adjust"
          path={`/accounts/${id}/adjustments`}
          body={{ amount_trx: amount }}
          disabled={!/^-?\d+(\.\d{1,6})?$/.test(amount) || Number(amount) === 0}
          onDone={(done) => {
            setAmount('')
            setMade(done as Adjustment)
          }}
        >
          {amount} TRX on this balance. You may book {data?.limit_trx ?? '…'} TRX within 24 hours;
          what goes beyond waits for another operator.
        </Deed>
      </Group>
      <span aria-live="polite">
        {made && (
          <>
            <Trx value={made.amount_trx} signed unit />{' '}
            {made.state === 'booked'
              ? 'are booked.'
              : 'wait for another operator, on the page Accounts. Nothing is booked yet.'}
          </>
        )}
      </span>
    </Stack>
  )
}

const percentOf = (basisPoints: number) => `${basisPoints / 100} %`

function Discount({ id, now }: { id: string; now: number }) {
  const [percent, setPercent] = useState<number | string>('')
  return (
    <Group align="flex-end">
      <NumberInput
        label="VIP discount, %"
        description={`Now ${percentOf(now)}.`}
        min={0}
        max={100}
        decimalScale={2}
        value={percent}
        onChange={setPercent}
      />
      <Deed
        name="Set discount"
        path={`/accounts/${id}/discount`}
        body={{ basis_points: Math.round(Number(percent) * 100) }}
        disabled={percent === ''}
        onDone={() => setPercent('')}
      >
        From now on this account pays {percent} % less than the list. Now it is {percentOf(now)}.
      </Deed>
    </Group>
  )
}

const TREASURY: string = '/treasury'

/** Requested here, approved by another operator on the treasury page. */
function Payout({ id }: { id: string }) {
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [asked, setAsked] = useState(false)
  return (
    <Stack gap="xs">
      <TextInput
        label="Pay out to"
        placeholder="T…"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value.trim())}
      />
      <Group align="flex-end">
        <TextInput
          label="Amount, TRX"
          placeholder="10"
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value.trim())}
        />
        <Deed
          name="Ask for payout"
          path={`/accounts/${id}/payouts`}
          body={{ to, amount_trx: amount }}
          disabled={!/^T\w{33}$/.test(to) || !/^\d+(\.\d{1,6})?$/.test(amount)}
          onDone={() => {
            setAmount('')
            setAsked(true)
          }}
        >
          {amount} TRX of this balance leave for {to} once two operators have signed an approval, of
          whom you may be one.
        </Deed>
      </Group>
      <span aria-live="polite">
        {asked && (
          <>
            It waits for approvals on the page <Link to={TREASURY}>Treasury</Link>.
          </>
        )}
      </span>
    </Stack>
  )
}
