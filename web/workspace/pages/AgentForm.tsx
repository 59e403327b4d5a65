import { Button, Modal, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { post } from '../../shared/api.ts'
import { sunOf, trxOf } from '../../shared/money.ts'
import { Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { againAgent, agentQuoteQuery } from '../queries.ts'

type Props = { opened: boolean; close(): void; summary: { max_units_cap: bigint | number } }

export function AgentForm({ opened, close, summary }: Props) {
  const form = useForm({
    initialValues: {
      mode: 'generated',
      address: '',
      title: '',
      energy: 65_000,
      base: '',
      units: 1,
    },
  })
  const { mode, energy, base } = form.values
  const quote = useQuery(agentQuoteQuery(energy))
  const least = quote.data?.cost_max_sun
  const paid = sunOf(base)
  const create = useMutation({
    mutationFn: (values: typeof form.values) =>
      post('/agent/configs', {
        mode: values.mode,
        ...(values.mode === 'own' && { address: values.address.trim() }),
        ...(values.title && { title: values.title }),
        energy_per_unit: values.energy,
        base_payment_sun: Number(sunOf(values.base) ?? 0n),
        max_units: values.units,
      }),
    onSuccess() {
      form.reset()
      close()
      return againAgent()
    },
  })
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="New pay page"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
        <Stack>
          <SegmentedControl
            aria-label="Where customers pay"
            data={[
              { value: 'generated', label: 'A new address' },
              { value: 'own', label: 'My own wallet' },
            ]}
            {...form.getInputProps('mode')}
          />
          <Text size="sm" c="dimmed">
            {mode === 'own'
              ? 'Payments go straight to your wallet; each sale is charged to your balance.'
              : 'Payments are credited to your balance. The address is yours for good.'}
          </Text>
          {mode === 'own' && (
            <TextInput
              label="Your wallet"
              placeholder="T…"
              required
              {...form.getInputProps('address')}
            />
          )}
          <TextInput
            label="Title"
            description="Customers see it"
            maxLength={40}
            {...form.getInputProps('title')}
          />
          <NumberInput
            label="Energy for one payment"
            min={1}
            step={1_000}
            allowDecimal={false}
            thousandSeparator=","
            required
            {...form.getInputProps('energy')}
          />
          <TextInput
            label="One payment, TRX"
            inputMode="decimal"
            placeholder={least ? trxOf(least) : ''}
            required
            {...form.getInputProps('base')}
          />
          <Text size="sm" c="dimmed" aria-live="polite">
            {least !== undefined && (
              <>
                It costs you up to <Trx value={trxOf(least)} unit />.
                {paid !== undefined && paid >= least && (
                  <>
                    {' '}
                    You keep at least <Trx value={trxOf(paid - least)} unit />.
                  </>
                )}
              </>
            )}
          </Text>
          <NumberInput
            label="Most units in one payment"
            min={1}
            max={Number(summary.max_units_cap)}
            allowDecimal={false}
            required
            {...form.getInputProps('units')}
          />
          <Trouble error={create.error ?? quote.error} />
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
