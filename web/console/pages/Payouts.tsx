import type { getOperatorPayouts, Reply } from '@ergon/contract'
import { approvalText } from '@ergon/contract/approval.ts'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { EmptyState } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { Approve } from '../Approve.tsx'
import { payoutsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, ShownPanel } from '../Shown.tsx'

type Listed = Reply<typeof getOperatorPayouts>
type Payout = Listed['payouts'][number]

const OPEN = ['requested', 'approved', 'expired']

export function Payouts() {
  const payouts = useQuery(payoutsQuery)
  return (
    <ShownPanel title="Payouts" query={payouts}>
      {(data) =>
        data.payouts.length === 0 ? (
          <EmptyState title="No payout has been asked for">
            Payouts wait here for their approvals. Ask for one on the page of an account.
          </EmptyState>
        ) : (
          <Rows
            label="Payouts"
            head={['TRX', 'To', 'State', 'Asked by', 'Reason', 'Approve']}
            right={['TRX']}
          >
            {data.payouts.map((one) => (
              <tr key={one.id}>
                <td className="right" data-label="TRX">
                  <Trx value={one.amount_trx} />
                </td>
                <td>
                  <Address value={one.to} />
                </td>
                <td>
                  <State payout={one} />
                </td>
                <td data-label="By">{one.requested_by}</td>
                <td className="whole">{one.reason}</td>
                <td className="deed">
                  {OPEN.includes(one.state) && (
                    <Group gap="xs">
                      {data.approval && <ApprovePayout payout={one} approval={data.approval} />}
                      <Deed name="Cancel payout" path={`/payouts/${one.id}/cancel`} danger>
                        No attempt of it is signed from then on, and the money returns to the
                        client. What is signed already cannot be cancelled.
                      </Deed>
                    </Group>
                  )}
                </td>
              </tr>
            ))}
          </Rows>
        )
      }
    </ShownPanel>
  )
}

function State({ payout }: { payout: Payout }) {
  const { state, attempt, approvals, trouble } = payout
  return (
    <>
      {state}
      {attempt > 1 && `, attempt ${attempt}`}
      {approvals.map(({ by, key, ends_at }) => (
        <div key={key} className="soft">
          approved by {by}, until <When at={ends_at} />
        </div>
      ))}
      {trouble && <div className="soft">{trouble}</div>}
    </>
  )
}

type Ground = NonNullable<Listed['approval']>

function textOf(payout: Payout, approval: Ground): string {
  return approvalText({
    chain: approval.chain,
    hot: approval.hot_address,
    payout: payout.id,
    attempt: payout.attempt,
    amountSun: BigInt(payout.amount_sun),
    to: payout.to,
    ends: new Date(approval.ends_at),
  })
}

function ApprovePayout({ payout, approval }: { payout: Payout; approval: Ground }) {
  const path = `/payouts/${payout.id}/approve`
  const given = { path, what: 'payout', subject: payout, approval, textOf }
  const below = ({ signed }: Payout) =>
    signed.map(({ attempt, txid }) => (
      <p key={txid}>
        Attempt {attempt} was signed before as <code className="secret">{txid}</code>. Look for it
        on the chain: if it is there, cancel this payout.
      </p>
    ))
  return (
    <Approve {...given} below={below}>
      {(shown) => (
        <>
          <Trx value={shown.amount_trx} unit /> leave for {shown.to}.
        </>
      )}
    </Approve>
  )
}
