import {
  Button,
  Group,
  Modal,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { ApiTrouble, post } from '../../shared/api.ts'
import { messageOf } from '../../shared/messages.ts'
import { Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { pricingQuery, type Subscription } from '../queries.ts'
import { AddressesInput, addressesIn } from './AddressesInput.tsx'

/** The most addresses of one call. */
const BATCH_MAX = 100
const PATH = '/autoenergy/subscriptions'

type Answer = { status: number; body: Subscription | { detail: unknown; message: string } }
type Result = Answer & { address: string }

/** The same terms for one address or many; after many it shows the result of each. */
export function CoverForm(props: { opened: boolean; close(): void; covered(): Promise<void> }) {
  const { opened, close, covered } = props
  const [isMany, setMany] = useState(false)
  const form = useForm({
    initialValues: {
      address: '',
      addresses: '',
      idle: '24',
      quota: '' as number | string,
      daily: '',
      monthly: '',
    },
  })
  const addresses = addressesIn(form.values.addresses)
  const cover = useMutation({
    async mutationFn({ address, idle, quota, daily, monthly }: typeof form.values) {
      const terms = {
        idle_hours: Number(idle),
        ...(quota !== '' && { quota_max_tx: Number(quota) }),
        ...(daily.trim() && { daily_budget_trx: daily.trim() }),
        ...(monthly.trim() && { monthly_budget_trx: monthly.trim() }),
      }
      if (!isMany) return void (await post(PATH, { address: address.trim(), ...terms }))
      const subscriptions = addresses.map((one) => ({ address: one, ...terms }))
      const { results } = await post<{ results: Answer[] }>(`${PATH}/batch`, { subscriptions })
      return results.map((result, nth): Result => ({ ...result, address: addresses[nth]! }))
    },
    onSuccess(results) {
      if (results) {
        // Those that were refused stay, with their terms, to be corrected and sent again.
        const left = results.filter(({ status }) => status !== 201)
        form.setFieldValue('addresses', left.map(({ address }) => address).join('\n'))
      } else {
        form.reset()
        close()
      }
      return covered()
    },
  })
  const { can, words } = buttonOf(isMany ? addresses.length : undefined)
  return (
    <Modal
      opened={opened}
      onClose={() => {
        cover.reset()
        close()
      }}
      title="Cover addresses"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={form.onSubmit((values) => cover.mutate(values))}>
        <Stack>
          {cover.data && <Results results={cover.data} />}
          <SegmentedControl
            aria-label="How many addresses"
            value={isMany ? 'many' : 'one'}
            onChange={(chosen) => setMany(chosen === 'many')}
            data={[
              { value: 'one', label: 'One address' },
              { value: 'many', label: 'Many addresses' },
            ]}
          />
          {isMany ? (
            <AddressesInput label="Addresses" {...form.getInputProps('addresses')} />
          ) : (
            <TextInput
              label="Address"
              placeholder="T…"
              classNames={{ input: 'address-field' }}
              required
              {...form.getInputProps('address')}
            />
          )}
          <div>
            <Text size="sm" fw={500} mb={4}>
              Close when idle for
            </Text>
            <SegmentedControl
              fullWidth
              aria-label="Idle hours"
              data={['24', '48', '72'].map((value) => ({ value, label: `${value} hours` }))}
              {...form.getInputProps('idle')}
            />
          </div>
          <NumberInput
            label="Close after transfers"
            description="Empty: no limit"
            min={1}
            allowDecimal={false}
            {...form.getInputProps('quota')}
          />
          <Group grow align="start">
            <TextInput
              label="Budget a day, TRX"
              description="Empty: no budget"
              inputMode="decimal"
              {...form.getInputProps('daily')}
            />
            <TextInput
              label="Budget a month, TRX"
              description="Cover pauses when it is used up"
              inputMode="decimal"
              {...form.getInputProps('monthly')}
            />
          </Group>
          <Prices each={isMany} />
          <Trouble error={cover.error} />
          <Button type="submit" loading={cover.isPending} disabled={!can}>
            {words}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

/** What the button will do, or why it cannot. */
function buttonOf(many: number | undefined): { can: boolean; words: string } {
  if (many === undefined) return { can: true, words: 'Cover it' }
  if (many === 0) return { can: false, words: 'Enter the addresses to cover' }
  if (many > BATCH_MAX) return { can: false, words: `${many} addresses are too many` }
  return { can: true, words: many === 1 ? 'Cover 1 address' : `Cover ${many} addresses` }
}

function Prices({ each }: { each: boolean }) {
  const { data } = useQuery(pricingQuery)
  const plan = data?.plans[0]
  if (!plan) return null
  return (
    <Text size="sm" c="dimmed">
      {each && 'For each address: '}
      <Trx value={plan.activation_fee_trx} unit /> once, <Trx value={plan.daily_sub_trx} unit /> a
      day after the first, <Trx value={plan.unit_price_65k_trx} unit /> or{' '}
      <Trx value={plan.unit_price_131k_trx} unit /> for a transfer. The price of one large transfer
      stays reserved.
    </Text>
  )
}

function Results({ results }: { results: readonly Result[] }) {
  const covered = results.filter(({ status }) => status === 201).length
  return (
    <div aria-live="polite">
      <Text fw={600}>
        {covered} of {results.length} addresses are covered now
      </Text>
      <table className="rows stack">
        <thead>
          <tr>
            <th>Address</th>
            <th>Result</th>
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

function Row({ address, status, body }: Result) {
  return (
    <tr>
      <td>
        <Address value={address} />
      </td>
      <td>
        {'id' in body ? (
          <StatusChip status={body.status} />
        ) : (
          messageOf(new ApiTrouble(status, body.detail, body.message))
        )}
      </td>
    </tr>
  )
}
