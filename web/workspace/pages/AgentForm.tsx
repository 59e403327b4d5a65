import { Button, Modal, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { patch, post } from '../../shared/api.ts'
import { sunOf, trxOf } from '../../shared/money.ts'
import { Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { type AgentConfig, againAgent, agentQuoteQuery } from '../queries.ts'

type Props = {
  close(): void
  unitsMax: number
  /** The page to change; absent: a new one. Its address cannot be changed. */
  config?: AgentConfig
}

const NEW = { mode: 'generated', address: '', title: '', energy: 65_000, base: '', units: 1 }

function valuesOf(config: AgentConfig): typeof NEW {
  return {
    mode: config.mode,
    address: config.address,
    title: config.title,
    energy: Number(config.energy_per_unit),
    base: trxOf(config.base_payment_sun),
    units: Number(config.max_units),
  }
}

/** Makes a pay page, or changes one. */
export function AgentForm({ close, unitsMax, config }: Props) {
  const form = useForm({ initialValues: config ? valuesOf(config) : NEW })
  const { mode, energy, base } = form.values
  const quote = useQuery(agentQuoteQuery(energy))
  const least = quote.data?.cost_max_sun
  const paid = sunOf(base)
  const save = useMutation({
    mutationFn(values: typeof NEW) {
      const offer = {
        title: values.title,
        energy_per_unit: values.energy,
        base_payment_sun: Number(sunOf(values.base) ?? 0n),
        max_units: values.units,
      }
      if (config) return patch(`/agent/configs/${config.id}`, offer)
      const address = values.mode === 'own' ? { address: values.address.trim() } : {}
      return post('/agent/configs', { mode: values.mode, ...address, ...offer })
    },
    onSuccess() {
      close()
      return againAgent()
    },
  })
  return (
    <Modal
      opened
      onClose={close}
      title={config ? 'Edit the pay page' : 'New pay page'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          {config ? (
            <Text size="sm" c="dimmed">
              Payments under way are judged by what the page showed when they were made.
            </Text>
          ) : (
            <>
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
                  classNames={{ input: 'address-field' }}
                  required
                  {...form.getInputProps('address')}
                />
              )}
            </>
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
            max={unitsMax}
            allowDecimal={false}
            required
            {...form.getInputProps('units')}
          />
          <Trouble error={save.error ?? quote.error} />
          <Button type="submit" loading={save.isPending}>
            {config ? 'Save' : 'Create'}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
