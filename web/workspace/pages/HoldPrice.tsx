import type { postQuote, Reply } from '@ergon/contract'
import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { post } from '../../shared/api.ts'
import { exactTrx } from '../../shared/money.ts'
import { Trouble } from '../../shared/Page.tsx'
import { useNow } from '../../shared/useNow.ts'

type Hold = ReturnType<typeof useHeldPrice>

/** A price that is held for this amount; another amount, or a minute, ends it. */
export function useHeldPrice(amount: number) {
  const now = useNow(1_000)
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: () => post<Reply<typeof postQuote>>('/quotes', { resource_amount: amount }),
  })
  const leftMs = data ? Date.parse(data.expires_at) - now : 0
  const quote = data?.resource_amount === amount && leftMs > 0 ? data : undefined
  return { quote, leftMs, error, isPending, hold: () => mutate(), reset }
}

export function HoldPrice({ hold: { quote, leftMs, error, isPending, hold } }: { hold: Hold }) {
  if (quote) {
    return (
      <Text size="sm">
        {exactTrx(quote.price_trx)} TRX are held for you, {Math.ceil(leftMs / 1_000)} s left.
      </Text>
    )
  }
  return (
    <>
      <Button variant="subtle" size="compact-sm" px={0} loading={isPending} onClick={hold}>
        Hold this price for a minute
      </Button>
      <Trouble error={error} />
    </>
  )
}
