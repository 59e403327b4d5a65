import type { postOperatorSchedulePreview, Reply } from '@ergon/contract'
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { request } from '../../shared/api.ts'
import { StepChart } from '../../shared/charts/StepChart.tsx'
import { trxOf } from '../../shared/money.ts'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { serverNow } from '../../shared/When.tsx'
import { scheduleQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown } from '../Shown.tsx'

type Effect = Reply<typeof postOperatorSchedulePreview>

export function Prices() {
  const schedule = useQuery(scheduleQuery)
  return (
    <Page title="Prices">
      <Shown query={schedule}>
        {(data) => <Editor key={data.schedule.join()} was={data.schedule.map(Number)} />}
      </Shown>
    </Page>
  )
}

function Editor({ was }: { was: number[] }) {
  const [prices, setPrices] = useState(was)
  const preview = useMutation({
    mutationFn: (schedule: number[]) =>
      request<Effect>('POST', '/operator/v1/schedule/preview', { schedule }),
  })
  const change = (hour: number, price: number) => {
    setPrices(prices.map((old, at) => (at === hour ? price : old)))
    // What is saved is what was looked at.
    preview.reset()
  }
  return (
    <>
      <Panel title="SUN per Energy, by UTC hour">
        <StepChart prices={prices} hour={new Date(serverNow()).getUTCHours()} />
        <div className="hours">
          {prices.map((price, hour) => (
            <NumberInput
              // biome-ignore lint/suspicious/noArrayIndexKey: the hour is what it is
              key={hour}
              label={`${String(hour).padStart(2, '0')}:00`}
              size="xs"
              min={1}
              allowDecimal={false}
              value={price}
              onChange={(value) => change(hour, Number(value) || 1)}
            />
          ))}
        </div>
        <Group mt="md">
          <Button onClick={() => preview.mutate(prices)} loading={preview.isPending}>
            Preview
          </Button>
          <Button variant="default" onClick={() => setPrices(was)}>
            Reset
          </Button>
        </Group>
        <Trouble error={preview.error} />
      </Panel>
      {preview.data && <Preview effect={preview.data} prices={prices} was={was} />}
    </>
  )
}

function Preview({ effect, prices, was }: { effect: Effect; prices: number[]; was: number[] }) {
  const changed = effect.hours.filter((hour) => hour.price_sun !== hour.was_sun)
  const margins = effect.hours.flatMap(({ margin_sun }) => margin_sun ?? [])
  const least = margins.reduce((a, b) => (b < a ? b : a), margins[0] ?? 0n)
  return (
    <Panel title="What this does">
      <Stack gap="sm">
        <Health ok={effect.hours_below_cost === 0}>
          {effect.wholesale_sun === null
            ? 'Energy cannot be had now, so the margin is not known'
            : `Wholesale ${effect.wholesale_sun} SUN: the least margin is ${least} SUN`}
          {effect.hours_below_cost > 0 && `; nothing is sold in ${effect.hours_below_cost} hours`}
        </Health>
        <Health ok={effect.agents_at_risk.every(({ already }) => already)}>
          {effect.agents_at_risk.length === 0
            ? 'No agent is at risk'
            : `${effect.agents_at_risk.length} agents at risk: customers are skipped in the dearest hour`}
        </Health>
        {effect.agents_at_risk.length > 0 && (
          <Rows label="Agents at risk" head={['Agent', 'Account', 'Takes', 'Would cost', 'Before']}>
            {effect.agents_at_risk.map((risk) => (
              <tr key={risk.config_id}>
                <td>{risk.title || 'untitled'}</td>
                <td>
                  <Address value={risk.account_id} />
                </td>
                <td>{trxOf(risk.base_payment_sun)} TRX</td>
                <td>{trxOf(risk.cost_max_sun)} TRX</td>
                <td>{risk.already ? 'at risk already' : 'covered'}</td>
              </tr>
            ))}
          </Rows>
        )}
        <Text size="sm">
          {changed.length === 0 ? 'No hour changes.' : `${changed.length} hours change.`}
        </Text>
        <Group>
          <Deed
            name="Save prices"
            path="/schedule"
            body={{ schedule: prices, was }}
            disabled={changed.length === 0}
          >
            {changed.length} hours change for every purchase from now on. Agents at risk are told.
          </Deed>
        </Group>
      </Stack>
    </Panel>
  )
}
