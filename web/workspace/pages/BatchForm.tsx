import {
  Button,
  Checkbox,
  FileButton,
  Group,
  NumberInput,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { ApiTrouble, post } from '../../shared/api.ts'
import { messageOf } from '../../shared/messages.ts'
import { exactTrx, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { accountQuery, estimateQuery, queryClient } from '../queries.ts'

/** The most purchases of one call. */
const BATCH_MAX = 100
const WAIT_MS = 250

type Bought = { order_id: string; total_price_trx: string }
type Refused = { detail: unknown; message?: string }
type Result = { status: number; body: Bought | Refused; receiver: string }

/** The same amount of Energy for many addresses, with the sum before and the result of each after buying. */
export function BatchForm() {
  const [text, setText] = useState('')
  const [amount, setAmount] = useState<number | string>(65_000)
  const [isAll, setAll] = useState(true)
  const [wanted] = useDebouncedValue(Number(amount), WAIT_MS)
  const receivers = addressesIn(text)
  // The keys, kept until the batch was answered, so that a retry buys once.
  const key = useRef(crypto.randomUUID())
  const buy = useMutation({
    async mutationFn(): Promise<Result[]> {
      const purchases = receivers.map((receiver_address, nth) => ({
        idempotency_key: `${key.current}-${nth + 1}`,
        receiver_address,
        resource_amount: wanted,
      }))
      const body = { purchases, mode: isAll ? 'all' : 'each' }
      const { results } = await post<{ results: Omit<Result, 'receiver'>[] }>('/buy/batch', body)
      return results.map((result, nth) => ({ ...result, receiver: receivers[nth]! }))
    },
    onSuccess() {
      key.current = crypto.randomUUID()
      void queryClient.invalidateQueries()
    },
  })
  const { can, words } = useSum(wanted, receivers.length)
  return (
    <Panel>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          buy.mutate()
        }}
      >
        <Stack>
          <Textarea
            label="Receivers"
            description="One address on each line, up to 100"
            placeholder="T…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={4}
            maxRows={12}
            spellCheck={false}
            required
          />
          <FileButton
            accept=".txt,.csv,text/plain,text/csv"
            onChange={(file) => void file?.text().then(setText)}
          >
            {(props) => (
              <Button variant="default" {...props}>
                Take them from a file
              </Button>
            )}
          </FileButton>
          <NumberInput
            label="Energy for each"
            value={amount}
            onChange={setAmount}
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
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
          <Trouble error={buy.error} />
          <Button type="submit" loading={buy.isPending} disabled={!can}>
            {words}
          </Button>
          {buy.data && <Results results={buy.data} />}
        </Stack>
      </form>
    </Panel>
  )
}

/** The first word of each line; what follows a comma or a space is ignored. */
function addressesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/[\s,;]/, 1)[0]!)
    .filter((word) => word !== '' && !word.startsWith('#'))
}

/** What the button will do, or why it cannot. */
function useSum(amount: number, receivers: number): { can: boolean; words: string } {
  const { data } = useQuery(estimateQuery(amount))
  const { data: account } = useQuery(accountQuery)
  if (receivers === 0) return { can: false, words: 'Enter the receivers to buy' }
  if (receivers > BATCH_MAX) return { can: false, words: `${receivers} addresses are too many` }
  if (!data || !account) return { can: false, words: 'Asking for the price …' }
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
          wordsOf(status, body as Refused)
        )}
      </td>
      <td className="right" data-label="TRX">
        {bought ? <Trx value={bought.total_price_trx} /> : '–'}
      </td>
    </tr>
  )
}

const wordsOf = (status: number, { detail, message }: Refused) =>
  messageOf(new ApiTrouble(status, detail, message))
