import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { exactTrx } from '../../shared/money.ts'
import { EmptyState } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { floatsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, ShownPanel } from '../Shown.tsx'
import { type Transfer, Transfers } from './Transfers.tsx'

type Settings = {
  enabled: boolean
  deposit_address: string
  floor_trx: string
  ceiling_trx: string
  daily_cap_trx: string
}

const AMOUNTS = ['Balance, TRX', 'Floor', 'Ceiling', 'A day']

/** Prepaid balances at marketplaces, their top-ups, and what people say of those that are missing. */
export function Floats() {
  const floats = useQuery(floatsQuery)
  return (
    <ShownPanel title="Floats at marketplaces" query={floats}>
      {({ floats: rows, transfers }) =>
        rows.length === 0 ? (
          <EmptyState title="No marketplace is connected">
            A marketplace with a key appears here; its balance can then be topped up by itself.
          </EmptyState>
        ) : (
          <>
            <Rows
              label="Floats"
              head={['Marketplace', ...AMOUNTS, 'Top-ups', 'Change']}
              right={AMOUNTS}
            >
              {rows.map((row) => (
                <tr key={row.provider}>
                  <td>{row.provider}</td>
                  <td className="right" data-label="Balance">
                    {row.balance_trx === null ? 'not known' : <Trx value={row.balance_trx} />}
                    {row.seen_at && (
                      <div className="soft">
                        <When at={row.seen_at} />
                      </div>
                    )}
                  </td>
                  <Bounds settings={row.settings} />
                  <td data-label="Top-ups" className="whole">
                    {row.settings ? (row.settings.enabled ? 'on' : 'off') : 'not set'}
                    {row.waits && <div className="soft">waits: {row.waits}</div>}
                  </td>
                  <td className="deed">
                    <Change provider={row.provider} settings={row.settings} />
                  </td>
                </tr>
              ))}
            </Rows>
            {transfers.length > 0 && <h3 className="part">Top-ups</h3>}
            <Transfers
              label="Top-ups"
              rows={transfers}
              decide={(row) => <Decision topUp={row} />}
            />
          </>
        )
      }
    </ShownPanel>
  )
}

function Bounds({ settings }: { settings: Settings | null }) {
  const amounts = [
    ['Floor', settings?.floor_trx],
    ['Ceiling', settings?.ceiling_trx],
    ['A day', settings?.daily_cap_trx],
  ] as const
  return amounts.map(([name, amount]) => (
    <td key={name} className="right" data-label={name}>
      {amount === undefined ? '' : <Trx value={amount} />}
    </td>
  ))
}

function Change({ provider, settings }: { provider: string; settings: Settings | null }) {
  const [changes, setChanges] = useState<Partial<Record<keyof Settings, string>>>({})
  const fields = [
    ['deposit_address', 'Deposit address'],
    ['floor_trx', 'Floor, TRX'],
    ['ceiling_trx', 'Ceiling, TRX'],
    ['daily_cap_trx', 'At most a day, TRX'],
  ] as const
  const textOf = (name: (typeof fields)[number][0]) => changes[name] ?? settings?.[name] ?? ''
  const body = Object.fromEntries(fields.map(([name]) => [name, textOf(name)]))
  return (
    <Group gap="xs">
      <Deed name="Set bounds" of={provider} path={`/treasury/floats/${provider}`} body={body}>
        The deposit address is a destination of the treasury in the signer's file.
        {fields.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            value={textOf(name)}
            onChange={(event) => setChanges({ ...changes, [name]: event.currentTarget.value })}
          />
        ))}
      </Deed>
      {settings && (
        <Deed
          name={settings.enabled ? 'Turn top-ups off' : 'Turn top-ups on'}
          of={provider}
          path={`/treasury/floats/${provider}/switch`}
          body={{ enabled: !settings.enabled }}
        >
          {settings.enabled
            ? 'No more top-ups are sent there; what is under way ends.'
            : `Below ${exactTrx(settings.floor_trx)} TRX the balance is topped up to ${exactTrx(settings.ceiling_trx)} TRX by itself, with at most ${exactTrx(settings.daily_cap_trx)} TRX a day.`}
        </Deed>
      )}
    </Group>
  )
}

const AS = [
  { value: 'wait', label: 'Wait 30 minutes more' },
  { value: 'arrived', label: 'Arrived after all' },
  { value: 'lost', label: 'Lost' },
]

function Decision({ topUp }: { topUp: Transfer }) {
  const [as, setAs] = useState('wait')
  const [credited, setCredited] = useState('')
  const amount = as === 'arrived' && credited !== '' ? { credited_trx: credited } : {}
  return (
    <Deed
      name="Decide"
      of={topUp.provider ?? ''}
      danger={as === 'lost'}
      path={`/treasury/top-ups/${topUp.id}/decide`}
      body={{ as, ...amount }}
    >
      No further top-up is sent to {topUp.provider} before this is decided.
      {as === 'lost' && ` ${exactTrx(topUp.amount_trx)} TRX are booked as a cost.`}
      <NativeSelect
        label="What became of it"
        value={as}
        onChange={(event) => setAs(event.currentTarget.value)}
        data={AS}
      />
      {as === 'arrived' && (
        <TextInput
          label="Credited, TRX"
          description={`Empty: all of it, ${exactTrx(topUp.amount_trx)} TRX. The rest is booked as a cost.`}
          value={credited}
          onChange={(event) => setCredited(event.currentTarget.value)}
        />
      )}
    </Deed>
  )
}
