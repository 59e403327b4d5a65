import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { accountQuery } from '../queries.ts'

const count = (n: number) => n.toLocaleString('en')

/** Limits that support has set for this account alone; nothing where there are none. */
export function OwnLimits() {
  const { data } = useQuery(accountQuery)
  const { requests_per_minute, unverified_credit_trx, max_amount } = data?.limits ?? {}
  const rows = [
    requests_per_minute != null && (
      <>API requests: {count(requests_per_minute)} a minute, all your keys together.</>
    ),
    max_amount != null && <>Largest order: {count(max_amount)} Energy.</>,
    unverified_credit_trx != null && (
      <>
        Deposits: up to <Trx value={unverified_credit_trx} unit /> can be spent before their block
        is final; the rest a minute later.
      </>
    ),
  ].filter(Boolean)
  if (rows.length === 0) return null
  return (
    <Panel title="Limits of this account">
      {rows.map((row, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no state
        <Text key={nth}>{row}</Text>
      ))}
    </Panel>
  )
}
