import { Group, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { accountsQuery, adjustmentsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Details } from '../Details.tsx'
import { Rows, Shown } from '../Shown.tsx'
import { useOpen } from '../useOpen.ts'
import { Account } from './Account.tsx'
import { Commission, Groups } from './Groups.tsx'

export function Accounts() {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, 250)
  const { id = '', go } = useOpen('/accounts')
  const accounts = useQuery(accountsQuery(asked))
  return (
    <Page title="Accounts">
      <Adjustments />
      <Panel title="Accounts">
        <TextInput
          label="Find"
          placeholder="Name, e-mail, group, id, wallet or deposit address"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb="sm"
        />
        <Shown query={accounts}>
          {(data) => (
            <Rows
              label="Accounts"
              head={['Name', 'Sign-in', 'Balance, TRX', 'VIP', 'Group', 'Since', 'Open']}
              right={['Balance, TRX', 'VIP']}
            >
              {data.accounts.map((account) => (
                <tr key={account.id} className="open" onClick={() => go({ id: account.id })}>
                  <td>{account.name || 'unnamed'}</td>
                  <td>{account.login ?? '–'}</td>
                  <td className="right" data-label="TRX">
                    <Trx value={account.balance_trx} />
                  </td>
                  <td className="right" data-label="VIP">
                    {account.vip_discount_bps / 100} %
                  </td>
                  <td data-label="Group">{account.group ?? '–'}</td>
                  <td data-label="Since">
                    <When at={account.created_at} />
                  </td>
                  <td>
                    <button
                      type="button"
                      className="plain"
                      onClick={(event) => {
                        event.stopPropagation()
                        go({ id: account.id })
                      }}
                    >
                      Open
                    </button>
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
      <Groups />
      <Commission />
      <Details title="Account" id={id} close={() => go({})}>
        <Account id={id} />
      </Details>
    </Page>
  )
}

/** Adjustments that wait for a second operator. */
function Adjustments() {
  const adjustments = useQuery(adjustmentsQuery)
  const waiting = adjustments.data?.adjustments.filter(({ state }) => state === 'requested') ?? []
  if (waiting.length === 0) return null
  return (
    <Panel title="Adjustments that wait for a second operator">
      <Rows
        label="Adjustments"
        head={['TRX', 'Account', 'Asked by', 'Reason', 'Decide']}
        right={['TRX']}
      >
        {waiting.map((one) => (
          <tr key={one.id}>
            <td className="right">
              <Trx value={one.amount_trx} signed />
            </td>
            <td>
              <Address value={one.account_id} />
            </td>
            <td className="whole" data-label="Asked by">
              {one.requested_by}
            </td>
            <td className="whole">{one.reason}</td>
            <td className="deed">
              <Group gap="xs" wrap="nowrap">
                <Deed name="Approve" path={`/adjustments/${one.id}/approve`}>
                  <Trx value={one.amount_trx} signed unit /> are booked at once, as{' '}
                  {one.requested_by} asked: {one.reason}
                </Deed>
                <Deed name="Refuse" path={`/adjustments/${one.id}/refuse`}>
                  Of the <Trx value={one.amount_trx} signed unit /> that {one.requested_by} asked
                  for, nothing is booked.
                </Deed>
              </Group>
            </td>
          </tr>
        ))}
      </Rows>
    </Panel>
  )
}
