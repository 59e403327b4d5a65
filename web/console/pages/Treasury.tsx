import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { counted, grouped } from '../../shared/money.ts'
import { EmptyState, Page, Panel, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { act, statusQuery, treasuryQuery } from '../calls.ts'
import { Rows, Shown, ShownPanel } from '../Shown.tsx'
import { Floats } from './Floats.tsx'
import { HotWallet } from './HotWallet.tsx'
import { Payouts } from './Payouts.tsx'
import { Stakes } from './Stakes.tsx'

export function Treasury() {
  const treasury = useQuery(treasuryQuery)
  const reconcile = useMutation({ mutationFn: () => act('/treasury/reconcile') })
  return (
    <Page
      title="Treasury"
      action={
        <Button variant="default" onClick={() => reconcile.mutate()} loading={reconcile.isPending}>
          Reconcile now
        </Button>
      }
    >
      <Trouble error={reconcile.error} />
      <Shown query={treasury}>
        {(data) => (
          <>
            <Panel title="What is there, and what is owed">
              {data.reconciliation ? (
                <Reconciliation result={data.reconciliation} />
              ) : (
                <EmptyState title="Not reconciled yet">
                  The worker compares the chain with the books every ten minutes.
                </EmptyState>
              )}
            </Panel>
            <Panel title="Unverified credit">
              <Trx value={data.unverified_credit_trx} unit /> of{' '}
              <Trx value={data.unverified_credit_max_trx} unit /> are lent on deposits whose blocks
              are not final. When nothing is left, deposits wait for their blocks.
            </Panel>
            <Panel title="Sweeps">
              <Trx value={data.held_trx} unit /> on{' '}
              {counted(data.held_addresses, 'deposit address')},{' '}
              {counted(data.open_sweeps, 'sweep')} under way, {grouped(data.refused_sweeps)} refused
              within the last hour.
            </Panel>
          </>
        )}
      </Shown>
      <HotWallet />
      <Floats />
      <Scanner />
      <Payouts />
      <Stakes />
    </Page>
  )
}

type Result = {
  read_at: string
  surplus_trx: string
  deposit_addresses_trx: string
  hot_trx: string
  floats_trx: string
  clients_trx: string
  escrow_trx: string
  not_verified_trx: string
}

function Reconciliation({ result }: { result: Result }) {
  const rows = [
    ['On deposit addresses', result.deposit_addresses_trx],
    ['On the hot wallet', result.hot_trx],
    ['Prepaid at providers', result.floats_trx],
    ['Owed to clients', `-${result.clients_trx}`],
    ['Price of orders under way', `-${result.escrow_trx}`],
    ['Credit not verified yet', result.not_verified_trx],
    ['Surplus', result.surplus_trx],
  ] as const
  return (
    <>
      <Rows label="Reconciliation" head={['What', 'TRX']} right={['TRX']}>
        {rows.map(([what, amount]) => (
          <tr key={what}>
            <td>{what}</td>
            <td className="right">
              <Trx value={amount.replace(/^-0$/, '0')} />
            </td>
          </tr>
        ))}
      </Rows>
      <span className="soft">
        Read <When at={result.read_at} />
      </span>
    </>
  )
}

function Scanner() {
  const status = useQuery(statusQuery)
  return (
    <ShownPanel title="Scanner" query={status}>
      {({ scanner }) => (
        <span>
          Block {grouped(scanner.block)}, solid up to {grouped(scanner.solid_block)},{' '}
          {grouped(scanner.lag_seconds)} s behind.
        </span>
      )}
    </ShownPanel>
  )
}
