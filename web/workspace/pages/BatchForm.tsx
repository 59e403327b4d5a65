import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { ApiTrouble, post } from '../../shared/api.ts'
import { messageOf } from '../../shared/messages.ts'
import { exactTrx, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { accountQuery, estimateQuery, queryClient } from '../queries.ts'
import { AddressesInput, addressesIn } from './AddressesInput.tsx'
import { useOnce } from './useOnce.ts'

/** The most purchases of one call. */
const BATCH_MAX = 100
const WAIT_MS = 250

type Bought = { order_id: string; total_price_trx: string }
type Refused = { detail: unknown; message?: string }
type Answer = { status: number; body: Bought | Refused }
type Result = Answer & { receiver: string }

/** The same amount of Energy for many addresses, with the sum before and the result of each after buying. */
export function BatchForm() {
  const [text, setText] = useState('')
  const [amount, setAmount] = useState<number | string>(65_000)
  const [isAll, setAll] = useState(true)
  const [wanted] = useDebouncedValue(Number(amount), WAIT_MS)
  const receivers = addressesIn(text)
  const { isSent, isUnknown, send, anew, key, noteFailure } = useOnce()
  const buy = useMutation({
    async mutationFn(batch: string): Promise<Result[]> {
      const purchases = receivers.map((receiver_address, nth) => ({
        idempotency_key: `${batch}-${nth + 1}`,
        receiver_address,
        resource_amount: wanted,
      }))
      const ask = (mode: 'all' | 'each') =>
        post<{ results: Answer[] }>('/buy/batch', { purchases, mode })
      let { results } = await ask(isAll ? 'all' : 'each')
      // All were made by a call whose answer was lost: mode each replays it.
      if (isAll && results.every(isUsed)) results = (await ask('each')).results
      // After a lost answer also 503 tells nothing: the database may not have been asked.
      const undecided = results.find(
        (one) => isUsed(one) || one.status === 500 || (isUnknown && one.status === 503),
      )
      if (undecided) throw troubleOf(undecided)
      return results.map((result, nth) => ({ ...result, receiver: receivers[nth]! }))
    },
    onError: noteFailure,
    onSuccess(results, batch) {
      // Those that were bought must not be bought again by the next batch. The list may be another one already.
      if (batch === key()) setText(receiversOf(results.filter(({ status }) => status !== 200)))
      void queryClient.invalidateQueries()
    },
  })
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      if (buy.isError) buy.reset()
      anew()
    }
  const { can, words } = useSum({
    amount: wanted,
    typed: Number(amount),
    receivers: receivers.length,
  })
  return (
    <Panel>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send(() => buy.mutateAsync(key()))
        }}
      >
        <Stack>
          <AddressesInput label="Receivers" value={text} onChange={change(setText)} />
          <NumberInput
            label="Energy for each"
            value={amount}
            onChange={change(setAmount)}
            min={1}
            step={1_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            required
          />
          <Checkbox
            label="All of them or none"
            checked={isAll}
            onChange={(event) => change(setAll)(event.currentTarget.checked)}
          />
          <Trouble error={buy.error} />
          {isSent ? (
            <Button variant="default" onClick={anew}>
              New batch
            </Button>
          ) : (
            <Button type="submit" loading={buy.isPending} disabled={!(can || isUnknown)}>
              {isUnknown ? 'Try again: it is bought once' : words}
            </Button>
          )}
          {buy.data && <Results results={buy.data} />}
        </Stack>
      </form>
    </Panel>
  )
}

const receiversOf = (results: readonly Result[]) =>
  results.map(({ receiver }) => receiver).join('\n')

const isUsed = ({ body }: Answer) =>
  'detail' in body && (body.detail as { error?: string }).error === 'duplicate_request'

/** What the button will do, or why it cannot. */
function useSum({
  amount,
  typed,
  receivers,
}: {
  amount: number
  /** Differs from the amount that has a price while somebody types. */
  typed: number
  receivers: number
}): { can: boolean; words: string } {
  const { data } = useQuery(estimateQuery(amount))
  const { data: account } = useQuery(accountQuery)
  if (receivers === 0) return { can: false, words: 'Enter the receivers to buy' }
  if (receivers > BATCH_MAX) return { can: false, words: `${receivers} addresses are too many` }
  if (!data || !account || amount !== typed) return { can: false, words: 'Asking for the price …' }
  if (amount < data.min_amount || amount > data.max_amount) {
    return { can: false, words: 'This amount cannot be ordered' }
  }
  const sum = data.total_price_sun * BigInt(receivers)
  const short = sum - (sunOf(account.spendable_trx) ?? 0n)
  if (short > 0n) {
    return { can: false, words: `Your balance is ${exactTrx(trxOf(short))} TRX short` }
  }
  const [energy, price] = [grouped(amount * receivers), exactTrx(trxOf(sum))]
  return { can: true, words: `Buy ${energy} Energy for ${receivers} addresses: ${price} TRX` }
}

function Results({ results }: { results: readonly Result[] }) {
  const bought = results.filter(({ status }) => status === 200).length
  return (
    <div aria-live="polite">
      <Text fw={600}>
        {bought} of {results.length} bought
      </Text>
      <table className="rows stack">
        <thead>
          <tr>
            <th>Receiver</th>
            <th>Result</th>
            <th className="right">Price, TRX</th>
          </tr>
        </thead>
        <tbody>
          {results.map((result, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an address may come twice, and the rows never move
            <Row key={nth} {...result} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ status, body, receiver }: Result) {
  const bought = 'order_id' in body ? body : undefined
  return (
    <tr>
      <td>
        <Address value={receiver} />
      </td>
      <td>
        {bought ? (
          <Group gap="xs">
            <StatusChip status="pending" />
            <Address value={bought.order_id} />
          </Group>
        ) : (
          messageOf(troubleOf({ status, body }))
        )}
      </td>
      <td className="right" data-label="TRX">
        {bought ? <Trx value={bought.total_price_trx} /> : '–'}
      </td>
    </tr>
  )
}

function troubleOf({ status, body }: Answer): ApiTrouble {
  const { detail, message } = body as Refused
  return new ApiTrouble(status, detail, message)
}
