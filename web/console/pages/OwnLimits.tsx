import type { getOperatorAccount, Reply } from '@ergon/contract'
import { Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { grouped } from '../../shared/money.ts'
import { Deed } from '../Deed.tsx'

type Limits = Reply<typeof getOperatorAccount>['limits']

const textOf = (value: number | string | null) => (value === null ? '' : String(value))
const numberIn = (text: string) => (text === '' ? null : Number(text))
const isCount = (text: string) => text === '' || /^[1-9]\d{0,8}$/.test(text)

/** Limits of one account; an empty field: as for everybody. */
export function OwnLimits({ id, now }: { id: string; now: Limits }) {
  const [requests, setRequests] = useState(textOf(now.requests_per_minute))
  const [credit, setCredit] = useState(textOf(now.unverified_credit_trx))
  const [order, setOrder] = useState(textOf(now.max_amount))
  const isRight =
    isCount(requests) && isCount(order) && (credit === '' || /^\d{1,12}(\.\d{1,6})?$/.test(credit))
  const field = (label: string, value: string, set: (text: string) => void) => (
    <TextInput
      label={label}
      placeholder="as for everybody"
      inputMode="decimal"
      value={value}
      onChange={(event) => set(event.currentTarget.value.trim())}
    />
  )
  return (
    <Group align="flex-end">
      {field('Requests a minute', requests, setRequests)}
      {field('Unverified credit, TRX', credit, setCredit)}
      {field('Largest order, Energy', order, setOrder)}
      <Deed
        name="Set limits"
        path={`/accounts/${id}/limits`}
        body={{
          requests_per_minute: numberIn(requests),
          unverified_credit_trx: credit === '' ? null : credit,
          max_amount: numberIn(order),
        }}
        disabled={!isRight}
      >
        Requests a minute:{' '}
        {isCount(requests) && requests ? grouped(Number(requests)) : 'as for everybody'}. Unverified
        credit: {credit ? `${credit} TRX` : 'as for everybody'}. Largest order:{' '}
        {isCount(order) && order ? `${grouped(Number(order))} Energy` : 'as for everybody'}. The
        client sees them in its settings.
      </Deed>
    </Group>
  )
}
