import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { post, remove } from '../../shared/api.ts'
import { counted, grouped, readableTrx, trxOf } from '../../shared/money.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { Qr } from '../../shared/Qr.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { type AgentConfig, againAgent } from '../queries.ts'
import { pausedWords } from '../reasons.ts'
import { AgentForm } from './AgentForm.tsx'

type Props = { config: AgentConfig; unitsMax: number }

/** A pay page: its link and code to share, what customers see, its sales, and what can be done with it. */
export function AgentCard({ config, unitsMax }: Props) {
  const page = `${location.origin}/pay/${config.public_id}`
  const { stats } = config
  return (
    <Panel title={config.title || 'Pay page'} action={<StatusChip status={config.status} />}>
      <Stack gap="sm">
        <Group align="flex-start" wrap="wrap" gap="md">
          <Qr value={page} label="QR code of the pay page" />
          <Stack gap="xs" flex={1} miw={200}>
            <Preview config={config} />
            <Address value={page} whole />
            <a href={page} target="_blank" rel="noreferrer">
              Open the pay page
            </a>
          </Stack>
        </Group>
        <dl className="facts">
          <div>
            <dt>Customers pay to</dt>
            <dd>
              <Address value={config.address} />
            </dd>
          </div>
          <div>
            <dt>{counted(stats.sales, 'sale')}, profit</dt>
            <dd>
              <Trx value={trxOf(stats.revenue_sun - stats.cost_sun)} unit />
            </dd>
          </div>
        </dl>
        {config.pause_reason && <Text size="sm">{pausedWords(config.pause_reason)}</Text>}
        <Actions config={config} unitsMax={unitsMax} />
      </Stack>
    </Panel>
  )
}

/** What the pay page says first. */
function Preview({ config }: { config: AgentConfig }) {
  const { title, energy_per_unit, base_payment_sun, max_units } = config
  return (
    <figure className="preview">
      <figcaption className="soft">Customers see</figcaption>
      <bdi className="soft">{title || 'TRON Energy'}</bdi>
      <p>
        <b>{grouped(energy_per_unit)}</b> Energy for <b>{readableTrx(trxOf(base_payment_sun))}</b>{' '}
        TRX
      </p>
      <span className="soft">
        {Number(max_units) > 1 ? `1 to ${max_units} units in one payment` : 'One unit in a payment'}
      </span>
    </figure>
  )
}

function Actions({ config, unitsMax }: Props) {
  const [opened, form] = useDisclosure(false)
  const isActive = config.status === 'active'
  const change = useMutation({
    mutationFn: () => post(`/agent/configs/${config.id}/${isActive ? 'pause' : 'resume'}`),
    onSuccess: againAgent,
  })
  const removal = useMutation({
    mutationFn: () => remove(`/agent/configs/${config.id}`),
    onSuccess: againAgent,
  })
  return (
    <>
      <Trouble error={change.error ?? removal.error} />
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={form.open}>
          Edit
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {isActive ? 'Pause' : 'Resume'}
        </Button>
        {config.mode === 'own' && (
          <Button
            size="xs"
            variant="subtle"
            color="red"
            loading={removal.isPending}
            onClick={() => removal.mutate()}
          >
            Delete
          </Button>
        )}
      </Group>
      {opened && <AgentForm close={form.close} unitsMax={unitsMax} config={config} />}
    </>
  )
}
