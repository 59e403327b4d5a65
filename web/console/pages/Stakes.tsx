import type { getOperatorStakes, Reply } from '@ergon/contract'
import { type StakeAction, stakeApprovalText } from '@ergon/contract/approval.ts'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { serverNow } from '../../shared/clock.ts'
import { grouped } from '../../shared/money.ts'
import { EmptyState } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { Approve } from '../Approve.tsx'
import { stakesQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, ShownPanel } from '../Shown.tsx'
import { StakeDeeds } from './StakeDeeds.tsx'

type Listed = Reply<typeof getOperatorStakes>
type Operation = Listed['operations'][number]
type Stake = Listed['stakes'][number]
type Ground = NonNullable<Listed['approval']>

const OPEN = ['requested', 'approved', 'expired']

export function Stakes() {
  const stakes = useQuery(stakesQuery)
  return (
    <>
      <ShownPanel title="Stakes" query={stakes}>
        {(data) =>
          data.stakes.length === 0 ? (
            <EmptyState title="No stake of ours is on the chain yet">
              Its TRX, votes and rewards appear here. The first step: send TRX to the address of the
              stake.
            </EmptyState>
          ) : (
            data.stakes.map((one) => <StakeRows key={one.address} stake={one} />)
          )
        }
      </ShownPanel>
      <ShownPanel title="What unlocks" query={stakes}>
        {(data) => <Calendar calendar={data.calendar} />}
      </ShownPanel>
      <ShownPanel title="Operations with stakes" query={stakes}>
        {(data) => <Operations data={data} />}
      </ShownPanel>
    </>
  )
}

function StakeRows({ stake }: { stake: Stake }) {
  const voting = stake.votes.reduce((sum, { count }) => sum + BigInt(count), 0n)
  const rows = [
    ['Spendable', stake.spendable_trx],
    ['Staked for Energy', stake.energy_trx],
    ['Of it delegated', stake.delegated_trx],
    ['Staked for Bandwidth', stake.bandwidth_trx],
    ['Unfreezing', stake.unfreezing_trx],
    ['To withdraw now', stake.withdrawable_trx],
    ['Rewards to claim', stake.reward_trx],
  ] as const
  return (
    <>
      <Address value={stake.address} />
      <Rows label={`Stake ${stake.address}`} head={['What', 'TRX']} right={['TRX']}>
        {rows.map(([what, amount]) => (
          <tr key={what}>
            <td>{what}</td>
            <td className="right">
              <Trx value={amount} />
            </td>
          </tr>
        ))}
      </Rows>
      <p className="soft">
        {grouped(voting)} of {grouped(stake.power)} votes given. <Rewards stake={stake} />
        {stake.standing.length > 0 &&
          ` It votes again by itself when it grows, for ${stake.standing.map(({ witness }) => witness).join(', ')}.`}
      </p>
      <StakeDeeds stake={stake.address} />
    </>
  )
}

/** Nobody who never voted has rewards; the chain pays them once in 24 hours. */
function Rewards({ stake }: { stake: Stake }) {
  if (stake.votes.length === 0 && Number(stake.reward_trx) === 0) return 'Votes earn rewards.'
  if (Date.parse(stake.claimable_from) <= serverNow()) return 'Rewards can be claimed now.'
  return (
    <>
      Rewards can be claimed from <When at={stake.claimable_from} /> on.
    </>
  )
}

function Calendar({ calendar }: { calendar: Listed['calendar'] }) {
  if (calendar.length === 0) {
    return (
      <EmptyState title="Nothing is unfreezing">
        What was unfrozen stands here with the time from which it can be withdrawn.
      </EmptyState>
    )
  }
  return (
    <Rows label="What unlocks" head={['When', 'TRX', 'Of', 'Stake']} right={['TRX']}>
      {calendar.map(({ stake, resource, amount_trx, at }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two of one block are alike
        <tr key={`${stake} ${at} ${place}`}>
          <td>
            <When at={at} />
          </td>
          <td className="right" data-label="TRX">
            <Trx value={amount_trx} />
          </td>
          <td>{resource === 'ENERGY' ? 'Energy' : 'Bandwidth'}</td>
          <td>
            <Address value={stake} />
          </td>
        </tr>
      ))}
    </Rows>
  )
}

function Operations({ data }: { data: Listed }) {
  if (data.operations.length === 0) {
    return (
      <EmptyState title="Nothing has been asked for yet">
        Freezes, withdrawals, votes and claims appear here with their approvals. Ask for one with
        the buttons of a stake above.
      </EmptyState>
    )
  }
  return (
    <Rows
      label="Operations with stakes"
      head={['What', 'TRX', 'State', 'Asked by', 'Reason', 'Approve']}
      right={['TRX']}
    >
      {data.operations.map((one) => (
        <tr key={one.id}>
          <td>
            {one.action.replace('_', ' ')}
            {one.resource && ` for ${one.resource === 'ENERGY' ? 'Energy' : 'Bandwidth'}`}
          </td>
          <td className="right" data-label="TRX">
            {one.amount_trx ? <Trx value={one.amount_trx} /> : '–'}
          </td>
          <td>
            <State operation={one} />
          </td>
          <td data-label="By">{one.requested_by}</td>
          <td className="whole">{one.reason}</td>
          <td className="deed">
            {OPEN.includes(one.state) && (
              <Group gap="xs">
                {data.approval && one.needs_approval && (
                  <ApproveOperation operation={one} approval={data.approval} />
                )}
                <Deed name="Stop" path={`/stakes/operations/${one.id}/stop`} danger>
                  No attempt of it is signed from then on. What is signed already cannot be stopped.
                </Deed>
              </Group>
            )}
          </td>
        </tr>
      ))}
    </Rows>
  )
}

function State({ operation }: { operation: Operation }) {
  const { state, attempt, approvals, needs_approval, trouble, block, moved_trx } = operation
  const isWaiting = needs_approval && ['requested', 'expired'].includes(state)
  return (
    <>
      {state}
      {attempt > 1 && `, attempt ${attempt}`}
      {isWaiting && <div className="soft">{approvals.length} of 2 approvals</div>}
      {approvals.map(({ by, key, ends_at }) => (
        <div key={key} className="soft">
          approved by {by}, until <When at={ends_at} />
        </div>
      ))}
      {block !== null && <div className="soft">in block {String(block)}</div>}
      {moved_trx !== null && (
        <div className="soft">
          <Trx value={moved_trx} unit />
        </div>
      )}
      {trouble && <div className="soft">{trouble}</div>}
    </>
  )
}

function textOf(operation: Operation, approval: Ground): string {
  const { amount_sun, resource } = operation
  return stakeApprovalText({
    chain: approval.chain,
    hot: approval.hot_address,
    stake: operation.stake,
    operation: operation.id,
    attempt: operation.attempt,
    action: operation.action as StakeAction,
    amountSun: amount_sun === null ? undefined : BigInt(amount_sun),
    resource: resource ?? undefined,
    ends: new Date(approval.ends_at),
  })
}

function ApproveOperation({ operation, approval }: { operation: Operation; approval: Ground }) {
  const path = `/stakes/operations/${operation.id}/approve`
  const given = { path, what: 'operation', subject: operation, approval, textOf }
  return (
    <Approve {...given}>
      {({ action, amount_trx, stake }) => (
        <>
          {action.replace('_', ' ')} {amount_trx && <Trx value={amount_trx} unit />} of {stake}. Two
          operators approve it.
        </>
      )}
    </Approve>
  )
}
