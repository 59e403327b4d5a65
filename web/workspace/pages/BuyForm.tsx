import { Autocomplete, Button, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { post } from '../../shared/api.ts'
import { exactTrx, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { accountQuery, estimateQuery, ordersQuery, queryClient, receiverQuery } from '../queries.ts'
import { HoldPrice, useHeldPrice } from './HoldPrice.tsx'

const PRESETS = [
  {
    amount: 65_000,
    label: '65k',
    covers: 'One USDT transfer to a wallet that holds USDT already.',
  },
  {
    amount: 131_000,
    label: '131k',
    covers: 'One USDT transfer to a wallet that has never held USDT.',
  },
]
const WAIT_MS = 250

type Props = { onBought(id: string): void; onCheckout(id: string): void }

export function BuyForm({ onBought, onCheckout }: Props) {
  const [amount, setAmount] = useState<number | string>(65_000)
  const [receiver, setReceiver] = useState('')
  const [wanted] = useDebouncedValue(Number(amount), WAIT_MS)
  const estimate = useQuery(estimateQuery(wanted))
  const preset = PRESETS.find((one) => one.amount === Number(amount))
  // The idempotency key, kept until a purchase is made, so that a retry buys once.
  const key = useRef(crypto.randomUUID())
  const body = { receiver_address: receiver.trim(), resource_amount: Number(amount) }
  const hold = useHeldPrice(Number(amount))
  const held = hold.quote && { quote_id: hold.quote.id }
  const fresh = () => {
    key.current = crypto.randomUUID()
    void queryClient.invalidateQueries()
  }
  const buy = useMutation({
    mutationFn: () =>
      post<{ order_id: string }>('/buy', { ...body, ...held }, { 'idempotency-key': key.current }),
    onSuccess({ order_id }) {
      fresh()
      hold.reset()
      onBought(order_id)
    },
  })
  const checkout = useMutation({
    mutationFn: () => post<{ id: string }>('/checkouts', body),
    onSuccess({ id }) {
      fresh()
      onCheckout(id)
    },
  })
  const {
    can,
    words,
    short = false,
  } = usePurchase({
    amount: wanted,
    receiver: body.receiver_address,
    estimate,
    price: hold.quote?.price_sun,
  })
  const error = buy.error ?? checkout.error
  return (
    <Panel>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          checkout.reset()
          buy.mutate()
        }}
      >
        <Stack>
          <div>
            <Price estimate={estimate} amount={wanted} />
            <HoldPrice hold={hold} />
          </div>
          <div>
            <SegmentedControl
              fullWidth
              aria-label="Usual amounts"
              value={preset?.label ?? 'other'}
              onChange={(label) => {
                const picked = PRESETS.find((one) => one.label === label)
                if (picked) setAmount(picked.amount)
              }}
              data={[...PRESETS.map(({ label }) => label), { value: 'other', label: 'Other' }]}
            />
            <Text size="sm" c="dimmed" mt={4}>
              {preset?.covers ?? 'An amount of your own.'}
            </Text>
          </div>
          <NumberInput
            label="Energy"
            value={amount}
            onChange={setAmount}
            min={1}
            step={1_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            required
          />
          <Receiver value={receiver} onChange={setReceiver} />
          <Trouble error={error} />
          <Stack gap="sm">
            <Button type="submit" loading={buy.isPending} disabled={checkout.isPending || !can}>
              {words}
            </Button>
            {short && (
              <Button component={Link} to="/deposits">
                Top up
              </Button>
            )}
            <Button
              variant="default"
              loading={checkout.isPending}
              disabled={buy.isPending || receiver === ''}
              onClick={() => {
                buy.reset()
                checkout.mutate()
              }}
            >
              Pay by transfer instead
            </Button>
          </Stack>
          <Text size="sm" c="dimmed">
            Usable for one hour from the moment it is delegated. If it cannot be delivered within
            two minutes you get all of it back.
          </Text>
        </Stack>
      </form>
    </Panel>
  )
}

/** What the button will do, or why it cannot. */
function usePurchase({
  amount,
  receiver,
  estimate: { data },
  price: held,
}: {
  amount: number
  receiver: string
  estimate: ReturnType<typeof useEstimate>
  /** Held by a quote; undefined: the price of now. */
  price: bigint | undefined
}): { can: boolean; words: string; short?: boolean } {
  const { data: account } = useQuery(accountQuery)
  const { data: check } = useQuery(receiverQuery(receiver))
  if (!data || !account) return { can: false, words: 'Asking for the price …' }
  if (amount < data.min_amount || amount > data.max_amount) {
    return { can: false, words: 'This amount cannot be ordered' }
  }
  const price = held ?? data.total_price_sun
  const short = price - (sunOf(account.spendable_trx) ?? 0n)
  if (short > 0n) {
    return { can: false, words: `Your balance is ${exactTrx(trxOf(short))} TRX short`, short: true }
  }
  if (receiver === '') return { can: false, words: 'Enter the receiver to buy' }
  if (check && !check.can_receive) return { can: false, words: 'This receiver cannot get Energy' }
  return { can: true, words: `Buy ${grouped(amount)} Energy for ${exactTrx(trxOf(price))} TRX` }
}

function Price({ estimate, amount }: { estimate: ReturnType<typeof useEstimate>; amount: number }) {
  const { data, error } = estimate
  if (error) return <Trouble error={error} retry={estimate.refetch} />
  if (!data) return <Text className="hero soft">–</Text>
  const outside = amount < data.min_amount || amount > data.max_amount
  const unit =
    amount > 0 ? Number((data.total_price_sun * 100n) / BigInt(Math.max(amount, 1))) / 100 : 0
  return (
    <div aria-live="polite">
      <Text className="hero" component="p">
        <Trx value={data.total_price_trx} unit />
      </Text>
      <Text size="sm" c={outside ? 'red' : 'dimmed'}>
        {outside
          ? `Orders are from ${grouped(data.min_amount)} to ${grouped(data.max_amount)} Energy.`
          : `${unit} SUN per Energy, for one hour`}
      </Text>
    </div>
  )
}
const useEstimate = () => useQuery(estimateQuery(0))

/** Suggests the receivers of the last orders. */
function Receiver({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [asked] = useDebouncedValue(value.trim(), WAIT_MS)
  const { data: recent } = useQuery(ordersQuery({}))
  const { data: check } = useQuery(receiverQuery(asked))
  const saved = [...new Set(recent?.orders.map((order) => order.receiver_address))]
  const energy = check?.energy_available
  const has = energy == null ? '' : ` It has ${grouped(energy)} Energy now.`
  return (
    <div>
      <Autocomplete
        label="Receiver"
        description="The wallet that will send the transfer"
        placeholder="T…"
        value={value}
        onChange={onChange}
        data={saved}
        spellCheck={false}
        autoComplete="off"
        required
        error={check && !check.can_receive ? check.message : undefined}
      />
      <Text size="sm" c="dimmed" mt={4} mih={21} aria-live="polite">
        {check?.can_receive ? `${check.message}${has}` : ''}
      </Text>
    </div>
  )
}
