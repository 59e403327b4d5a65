import type { getOperatorPayouts, Reply } from '@ergon/contract'
import { approvalText } from '@ergon/contract/approval.ts'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { signText } from '../approvalKey.ts'
import { approvalKeyQuery, payoutsQuery, sessionQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, ShownPanel } from '../Shown.tsx'

type Listed = Reply<typeof getOperatorPayouts>
type Payout = Listed['payouts'][number]

const OPEN = ['requested', 'approved', 'expired']
const SECURITY: string = '/security'

export function Payouts() {
  const payouts = useQuery(payoutsQuery)
  return (
    <ShownPanel title="Payouts" query={payouts}>
      {(data) =>
        data.payouts.length === 0 ? (
          <span className="soft">None yet.</span>
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
                    <>
                      {data.approval && <Approve payout={one} approval={data.approval} />}
                      <Deed name="Cancel payout" path={`/payouts/${one.id}/cancel`} danger>
                        No attempt of it is signed from then on, and the money returns to the
                        client. What is signed already cannot be cancelled.
                      </Deed>
                    </>
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

/** Shows exactly what is signed, and signs exactly that. */
function Approve({ payout, approval }: { payout: Payout; approval: Ground }) {
  const { data: session } = useQuery(sessionQuery)
  const { data: key } = useQuery(approvalKeyQuery(session?.email ?? ''))
  // Fixed when the dialog opens: the list is polled and may change while the operator reads.
  const [shown, show] = useState({ payout, approval })
  const { ends_at } = shown.approval
  const text = textOf(shown.payout, shown.approval)
  const isOld = text !== textOf(payout, { ...approval, ends_at })
  async function signed() {
    if (!key) throw new Error('This browser has no approval key.')
    return { key: key.publicKey, ends_at, signature: await signText(key, text) }
  }
  return (
    <Deed
      name="Approve"
      path={`/payouts/${payout.id}/approve`}
      onOpen={() => show({ payout, approval })}
      prepare={signed}
      isReady={Boolean(key) && !isOld}
    >
      <Trx value={shown.payout.amount_trx} unit /> leave for {shown.payout.to}. Your key signs this
      text:
      <pre className="secret">{text}</pre>
      {shown.payout.signed.map(({ attempt, txid }) => (
        <p key={txid}>
          Attempt {attempt} was signed before as <code className="secret">{txid}</code>. Look for it
          on the chain: if it is there, cancel this payout.
        </p>
      ))}
      {isOld && (
        <Text size="sm" c="red.8">
          The payout has changed since you opened this. Close it and read it again.
        </Text>
      )}
      {key === null && (
        <Text size="sm" c="red.8">
          This browser has no approval key of yours: make one on the page{' '}
          <Link to={SECURITY}>Security</Link>.
        </Text>
      )}
    </Deed>
  )
}
