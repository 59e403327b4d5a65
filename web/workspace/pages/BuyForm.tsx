import {
  Autocomplete,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { post } from '../../shared/api.ts'
import { DELIVERY } from '../../shared/delivery.ts'
import { exactTrx, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import {
  accountQuery,
  estimateQuery,
  ordersQuery,
  queryClient,
  receiverQuery,
  unpaidQuery,
} from '../queries.ts'
import { HoldPrice, useHeldPrice } from './HoldPrice.tsx'
import { useOnce } from './useOnce.ts'

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

/** What was bought last here; an unpaid one is a checkout. */
export type Bought = { id: string; isCheckout: boolean }

export function BuyForm({ show }: { show(bought: Bought): void }) {
  const given: { energy?: string; receiver?: string } = useSearch({ strict: false })
  const [amount, setAmount] = useState<number | string>(Number(given.energy) || 65_000)
  const [receiver, setReceiver] = useState(given.receiver ?? '')
  const [wanted] = useDebouncedValue(Number(amount), WAIT_MS)
  const estimate = useQuery(estimateQuery(wanted))
  const preset = PRESETS.find((one) => one.amount === Number(amount))
  const { isSent, isUnknown, send, anew, key, noteFailure } = useOnce()
  const body = { receiver_address: receiver.trim(), resource_amount: Number(amount) }
  const hold = useHeldPrice(Number(amount))
  const held = hold.quote && { quote_id: hold.quote.id }
  const unpaid = useUnpaid(body)
  const made = (bought: Bought) => {
    void queryClient.invalidateQueries()
    show(bought)
  }
  const buy = useMutation({
    mutationFn: (sentKey: string) =>
      post<{ order_id: string }>('/buy', { ...body, ...held }, { 'idempotency-key': sentKey }),
    onError: noteFailure,
    onSuccess({ order_id }) {
      hold.reset()
      made({ id: order_id, isCheckout: false })
    },
  })
  const checkout = useMutation({
    mutationFn: () => post<{ id: string }>('/checkouts', body),
    onSuccess: ({ id }) => made({ id, isCheckout: true }),
    // It may have been made although no answer came: then the list leads to it.
    onError: () => queryClient.invalidateQueries({ queryKey: ['orders'] }),
  })
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      if (buy.isError) buy.reset()
      anew()
    }
  const {
    can,
    words,
    short = false,
  } = usePurchase({
    amount: wanted,
    typed: Number(amount),
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
          send(() => buy.mutateAsync(key()))
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
                if (picked) change(setAmount)(picked.amount)
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
            onChange={change(setAmount)}
            min={1}
            step={1_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            required
          />
          <Receiver value={receiver} onChange={change(setReceiver)} />
          <Trouble error={error} />
          {isSent ? (
            <Group justify="space-between" role="status">
              <Text size="sm">Ordered. You can follow it on this page.</Text>
              <Button variant="default" onClick={anew}>
                New order
              </Button>
            </Group>
          ) : (
            <Stack gap="sm">
              <Button
                type="submit"
                loading={buy.isPending}
                disabled={checkout.isPending || !(can || isUnknown)}
              >
                {isUnknown ? 'Try again: it is bought once' : words}
              </Button>
              {short && !isUnknown && (
                <Button component={Link} to="/deposits">
                  Top up
                </Button>
              )}
              <Button
                variant="default"
                loading={checkout.isPending}
                disabled={buy.isPending || isUnknown || receiver === ''}
                onClick={() => {
                  buy.reset()
                  if (unpaid) show({ id: unpaid.id, isCheckout: true })
                  else send(checkout.mutateAsync)
                }}
              >
                {unpaid ? 'Show the unpaid order' : 'Pay by transfer instead'}
              </Button>
            </Stack>
          )}
          <Text size="sm" c="dimmed">
            Usable for one hour from the moment it is delegated. {DELIVERY}
          </Text>
        </Stack>
      </form>
    </Panel>
  )
}

/** An order that awaits its transfer already, for the same Energy to the same wallet. */
function useUnpaid(wish: { receiver_address: string; resource_amount: number }) {
  const { data } = useQuery(unpaidQuery)
  return data?.orders.find(
    (order) =>
      order.receiver_address === wish.receiver_address &&
      order.resource_amount === wish.resource_amount,
  )
}

/** What the button will do, or why it cannot. */
function usePurchase({
  amount,
  typed,
  receiver,
  estimate: { data },
  price: held,
}: {
  amount: number
  /** Differs from the amount that has a price while somebody types. */
  typed: number
  receiver: string
  estimate: ReturnType<typeof useEstimate>
  /** Held by a quote; undefined: the price of now. */
  price: bigint | undefined
}): { can: boolean; words: string; short?: boolean } {
  const { data: account } = useQuery(accountQuery)
  const { data: check } = useQuery(receiverQuery(receiver))
  if (!data || !account || amount !== typed) return { can: false, words: 'Asking for the price …' }
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
  const used = new Set(recent?.orders.map((order) => order.receiver_address))
  // What is typed already would cover the answer below it.
  used.delete(value)
  const energy = check?.energy_available
  const has = energy == null ? '' : ` It has ${grouped(energy)} Energy now.`
  return (
    <div>
      <Autocomplete
        label="Receiver"
        description="The wallet that will send the transfer"
        placeholder="T…"
        classNames={{ input: 'address-field' }}
        value={value}
        onChange={onChange}
        data={[...used]}
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
