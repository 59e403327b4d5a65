import { Drawer, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { accountQuery, accountsQuery, adjustmentsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

export function Accounts() {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, 250)
  const [id, setId] = useState('')
  const accounts = useQuery(accountsQuery(asked))
  return (
    <Page title="Accounts">
      <Adjustments />
      <Panel title="Accounts">
        <TextInput
          label="Find"
          placeholder="Name, e-mail, id, wallet or deposit address"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb="sm"
        />
        <Shown query={accounts}>
          {(data) => (
            <Rows
              label="Accounts"
              head={['Name', 'Sign-in', 'Balance, TRX', 'VIP', 'Since', 'Open']}
            >
              {data.accounts.map((account) => (
                <tr key={account.id}>
                  <td>{account.name || 'unnamed'}</td>
                  <td>{account.login ?? '–'}</td>
                  <td>
                    <Trx value={account.balance_trx} decimals={2} />
                  </td>
                  <td>{account.vip_discount_bps / 100} %</td>
                  <td>
                    <When at={account.created_at} />
                  </td>
                  <td>
                    <button type="button" className="plain" onClick={() => setId(account.id)}>
                      Open
                    </button>
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
      <Drawer
        opened={id !== ''}
        onClose={() => setId('')}
        position="right"
        size="lg"
        title="Account"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {id && <Account id={id} />}
      </Drawer>
    </Page>
  )
}

function Account({ id }: { id: string }) {
  const account = useQuery(accountQuery(id))
  const [amount, setAmount] = useState('')
  const [percent, setPercent] = useState<number | string>('')
  return (
    <Shown query={account}>
      {(data) => (
        <Stack>
          <div>
            <Trx value={data.balance_trx} unit />, <Trx value={data.spendable_trx} unit /> spendable
          </div>
          <Address value={data.id} whole />
          <Address value={data.deposit_address} whole />
          <Group align="flex-end">
            <TextInput
              label="Adjust by, TRX"
              placeholder="-2.5"
              value={amount}
              onChange={(event) => setAmount(event.currentTarget.value)}
            />
            <Deed
              name="Adjust"
              path={`/accounts/${id}/adjustments`}
              body={{ amount_trx: amount }}
              disabled={!/^-?\d+(\.\d{1,6})?$/.test(amount)}
              onDone={() => setAmount('')}
            >
              {amount} TRX on this balance. Above your limit it waits for another operator.
            </Deed>
          </Group>
          <Group align="flex-end">
            <NumberInput
              label="VIP discount, %"
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
            >
              From now on this account pays {percent} % less than the list.
            </Deed>
          </Group>
          <Payout id={id} />
          <Rows label="Last entries" head={['Entry', 'TRX', 'Balance', 'When']}>
            {data.entries.map((entry) => (
              <tr key={`${entry.created_at} ${entry.entry_type} ${entry.balance_after_trx}`}>
                <td title={entry.description}>{entry.entry_type}</td>
                <td>
                  <Trx value={entry.amount_trx} signed />
                </td>
                <td>
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

const TREASURY: string = '/treasury'

/** Asked for here, approved by somebody else on the page of the treasury. */
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
          {amount} TRX of this balance leave for {to} once another operator approves.
        </Deed>
      </Group>
      <span aria-live="polite">
        {asked && (
          <>
            It waits for another operator on the page <Link to={TREASURY}>Treasury</Link>.
          </>
        )}
      </span>
    </Stack>
  )
}

/** Those that wait for a second operator. */
function Adjustments() {
  const adjustments = useQuery(adjustmentsQuery)
  const waiting = adjustments.data?.adjustments.filter(({ state }) => state === 'requested') ?? []
  if (waiting.length === 0) return null
  return (
    <Panel title="Adjustments that wait for a second operator">
      <Rows label="Adjustments" head={['TRX', 'Account', 'Asked by', 'Reason', 'Decide']}>
        {waiting.map((one) => (
          <tr key={one.id}>
            <td>
              <Trx value={one.amount_trx} signed />
            </td>
            <td>
              <Address value={one.account_id} />
            </td>
            <td>{one.requested_by}</td>
            <td>{one.reason}</td>
            <td>
              <Group gap="xs" wrap="nowrap">
                <Deed name="Approve" path={`/adjustments/${one.id}/approve`}>
                  It is booked at once.
                </Deed>
                <Deed name="Refuse" path={`/adjustments/${one.id}/refuse`}>
                  Nothing is booked.
                </Deed>
              </Group>
            </td>
          </tr>
        ))}
      </Rows>
    </Panel>
  )
}
