import { Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { counted } from '../../shared/money.ts'
import { EmptyState } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { hotWalletQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, ShownPanel } from '../Shown.tsx'
import { Transfers } from './Transfers.tsx'

type Settings = { enabled: boolean; floor_trx: string; ceiling_trx: string; cold_address: string }

/** Floor, ceiling and cold address of the hot wallet, and what it needs in the next 24 hours. */
export function HotWallet() {
  const hotWallet = useQuery(hotWalletQuery)
  return (
    <ShownPanel title="Hot wallet" query={hotWallet}>
      {({ settings, outlook, forecast, waits, transfers, destinations }) => (
        <>
          {outlook && settings?.enabled && (
            <Health ok={!outlook.is_short}>
              {outlook.is_short ? 'Short within a day' : 'Enough for a day'}
            </Health>
          )}
          {settings ? (
            <p>
              Floor <Trx value={settings.floor_trx} unit />, ceiling{' '}
              <Trx value={settings.ceiling_trx} unit />. Sending surplus to{' '}
              <Address value={settings.cold_address} /> is {settings.enabled ? 'on' : 'off'}. Last
              changed by {settings.changed_by}: {settings.reason}
            </p>
          ) : (
            <EmptyState title="No floor, no ceiling and no cold address are set">
              Nothing is moved. Set them first; what is above the ceiling can then go to the cold
              address by itself.
            </EmptyState>
          )}
          {outlook && <Outlook {...outlook} />}
          {waits && <p>A surplus waits: {waits}.</p>}
          <Rows label="Forecast of the next 24 hours" head={['What', 'TRX']} right={['TRX']}>
            {forecast.map(({ what, trx }) => (
              <tr key={what}>
                <td>{what}</td>
                <td className="right">
                  <Trx value={trx} />
                </td>
              </tr>
            ))}
          </Rows>
          <Change settings={settings} destinations={destinations.length} />
          {transfers.length > 0 && <h3 className="part">Transfers of surplus</h3>}
          <Transfers label="Transfers of surplus" rows={transfers} />
        </>
      )}
    </ShownPanel>
  )
}

type OutlookProps = {
  hot_trx: string
  under_way_trx: string
  after_day_trx: string
  free_trx: string
  surplus_trx: string
}

function Outlook(outlook: OutlookProps) {
  return (
    <p>
      <Trx value={outlook.hot_trx} unit /> on it, <Trx value={outlook.under_way_trx} unit /> of them
      under way; in 24 hours <Trx value={outlook.after_day_trx} unit />. Above what is owed, under
      way and needed: <Trx value={outlook.free_trx} unit />, of which{' '}
      <Trx value={outlook.surplus_trx} unit /> are surplus.
    </p>
  )
}

function Change({ settings, destinations }: { settings: Settings | null; destinations: number }) {
  const [floor, setFloor] = useState<string>()
  const [ceiling, setCeiling] = useState<string>()
  const [cold, setCold] = useState<string>()
  const wanted = {
    floor_trx: floor ?? settings?.floor_trx ?? '',
    ceiling_trx: ceiling ?? settings?.ceiling_trx ?? '',
    cold_address: cold ?? settings?.cold_address ?? '',
  }
  return (
    <Group gap="xs" mt="sm">
      <Deed name="Set the hot wallet" path="/treasury/hot-wallet" body={wanted}>
        {destinations === 0
          ? "The signer's file has no destination of the treasury yet; the cold address has to be one."
          : `The cold address is ${destinations === 1 ? 'the destination' : `one of the ${counted(destinations, 'destination')}`} of the treasury in the signer's file.`}
        <TextInput
          label="Floor, TRX"
          value={wanted.floor_trx}
          onChange={(event) => setFloor(event.currentTarget.value)}
        />
        <TextInput
          label="Ceiling, TRX"
          value={wanted.ceiling_trx}
          onChange={(event) => setCeiling(event.currentTarget.value)}
        />
        <TextInput
          label="Cold address"
          value={wanted.cold_address}
          onChange={(event) => setCold(event.currentTarget.value)}
        />
      </Deed>
      {settings && (
        <Deed
          name={settings.enabled ? 'Turn surplus off' : 'Turn surplus on'}
          path="/treasury/hot-wallet/switch"
          body={{ enabled: !settings.enabled }}
        >
          {settings.enabled ? (
            'No more surplus is sent; what is under way ends.'
          ) : (
            <>
              When more than <Trx value={settings.ceiling_trx} unit /> are above what is owed, under
              way and needed, all of it down to the middle of floor and ceiling goes to{' '}
              {settings.cold_address} by itself.
            </>
          )}
        </Deed>
      )}
    </Group>
  )
}
