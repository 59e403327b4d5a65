import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Qr } from '../../shared/Qr.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { accountQuery, depositsQuery } from '../queries.ts'

export function Deposits() {
  const account = useQuery(accountQuery)
  return (
    <Page title="Deposits">
      <Panel title="Your deposit address">
        {account.error && <Trouble error={account.error} retry={account.refetch} />}
        {account.data ? (
          <Group align="flex-start" wrap="wrap">
            <Qr
              value={account.data.deposit_address}
              label={`QR code of ${account.data.deposit_address}`}
            />
            <Stack gap="xs" maw={440}>
              <Address value={account.data.deposit_address} whole />
              <Text>
                Send TRX to this address from any wallet or exchange. It is yours alone and does not
                change. Seconds after the transfer is in a block, the amount can be spent.
              </Text>
              <Text size="sm" c="dimmed">
                Only TRX is credited. Tokens such as USDT are not.
              </Text>
            </Stack>
          </Group>
        ) : (
          <Skeleton height={186} />
        )}
      </Panel>
      <Received />
    </Page>
  )
}

function Received() {
  const { data, error, refetch } = useQuery(depositsQuery)
  if (error) return <Trouble error={error} retry={refetch} />
  return (
    <Panel title="Received">
      <div aria-live="polite">
        {!data ? (
          <RowsSkeleton />
        ) : data.deposits.length === 0 ? (
          <EmptyState title="Nothing received yet">
            Your first transfer shows up here by itself: pending, then confirmed, then final.
          </EmptyState>
        ) : (
          <div className="scroll">
            <table className="rows stack">
              <thead>
                <tr>
                  <th>Status</th>
                  <th className="right">Amount, TRX</th>
                  <th>Transaction</th>
                  <th>Credited</th>
                  <th>Final</th>
                </tr>
              </thead>
              <tbody>
                {data.deposits.map((deposit) => (
                  <tr key={deposit.tx_hash}>
                    <td>
                      <StatusChip status={deposit.status} />
                    </td>
                    <td className="right" data-label="TRX">
                      <Trx value={deposit.amount_trx} />
                    </td>
                    <td>
                      <Address value={deposit.tx_hash} />
                    </td>
                    <td data-label="Credited">
                      <When at={deposit.credited_at} />
                    </td>
                    <td data-label="Final">
                      <When at={deposit.verified_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </Panel>
  )
}
