import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { CopyButton } from '../../shared/CopyButton.tsx'
import { Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Qr } from '../../shared/Qr.tsx'
import { Timeline } from '../../shared/Timeline.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { Countdown } from '../../shared/When.tsx'
import { OrderLink } from '../OrderLink.tsx'
import { checkoutQuery } from '../queries.ts'

/** An order that is paid by a transfer of one exact amount. */
export function CheckoutPanel({ id, hide }: { id: string; hide?: () => void }) {
  const { data, error, refetch } = useQuery(checkoutQuery(id))
  if (error) return <Trouble error={error} retry={refetch} />
  if (!data)
    return (
      <Panel title="Pay by transfer">
        <RowsSkeleton />
      </Panel>
    )
  const open = data.status === 'AWAITING_PAYMENT'
  return (
    <Panel title={open ? 'Pay by transfer' : 'Your order'} action={<OrderLink id={id} />}>
      <Stack>
        {open && (
          <>
            <Group align="flex-start" wrap="wrap">
              <Qr value={data.deposit_address} label={`QR code of ${data.deposit_address}`} />
              <Stack gap={4}>
                <Text size="sm">Send exactly</Text>
                <Text className="figure" component="p">
                  <Trx value={data.amount_trx} exact unit />
                </Text>
                <div>
                  <CopyButton value={data.amount_trx} what="the amount" />
                </div>
                <Text size="sm" mt="xs">
                  to your deposit address
                </Text>
                <Address value={data.deposit_address} whole />
                <div>
                  <CopyButton value={data.deposit_address} what="the address" />
                </div>
              </Stack>
            </Group>
            <Text size="sm" c="dimmed">
              The price is held for <Countdown until={data.expires_at} />. The amount tells us which
              order you pay: any other one is credited to your balance instead. If you do not pay,
              the order ends by itself, and nothing is charged. Until then it is under Orders.
            </Text>
            {hide && (
              <div>
                <Button size="xs" variant="default" onClick={hide}>
                  Hide
                </Button>
              </div>
            )}
          </>
        )}
        <div aria-live="polite">
          <Timeline order={data} />
        </div>
      </Stack>
    </Panel>
  )
}
