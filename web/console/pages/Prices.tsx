import { Button, Group, NumberInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../shared/api.ts'
import { PriceChart } from '../../shared/charts/PriceChart.tsx'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { hourWords } from '../../shared/times.ts'
import { useNow } from '../../shared/useNow.ts'
import { scheduleQuery } from '../calls.ts'
import { Shown } from '../Shown.tsx'
import { type Effect, PriceEffect, type Terms } from './PriceEffect.tsx'

export function Prices() {
  const schedule = useQuery(scheduleQuery)
  return (
    <Page title="Prices">
      <Shown query={schedule}>
        {({ schedule: prices, ...bounds }) => {
          const was = {
            schedule: prices.map(Number),
            bounds: {
              min_amount: Number(bounds.min_amount),
              max_amount: Number(bounds.max_amount),
              margin_floor_sun: Number(bounds.margin_floor_sun),
            },
          }
          return <Editor key={JSON.stringify(was)} was={was} />
        }}
      </Shown>
    </Page>
  )
}

const BOUNDS = [
  ['min_amount', 'Smallest order, Energy', 1],
  ['max_amount', 'Largest order, Energy', 1],
  ['margin_floor_sun', 'Least margin, SUN per Energy', 0],
] as const

function Editor({ was }: { was: Terms }) {
  const [terms, setTerms] = useState(was)
  const hour = new Date(useNow()).getUTCHours()
  const preview = useMutation({
    mutationFn: ({ schedule, bounds }: Terms) =>
      request<Effect>('POST', '/operator/v1/schedule/preview', { schedule, ...bounds }),
  })
  const change = (next: Terms) => {
    setTerms(next)
    // Saving needs a preview of exactly these values.
    preview.reset()
  }
  const changeHour = (hour: number, price: number) =>
    change({ ...terms, schedule: terms.schedule.map((old, at) => (at === hour ? price : old)) })
  return (
    <>
      <Panel title="SUN per Energy, by UTC hour">
        <PriceChart
          prices={terms.schedule}
          hour={hour}
          onDrag={(at, price) => changeHour(at, Math.max(Math.round(price), 1))}
        />
        <div className="hours">
          {terms.schedule.map((price, hour) => (
            <NumberInput
              // biome-ignore lint/suspicious/noArrayIndexKey: the hour is what it is
              key={hour}
              label={hourWords(hour)}
              size="xs"
              min={1}
              allowDecimal={false}
              value={price}
              onChange={(value) => changeHour(hour, Number(value) || 1)}
            />
          ))}
        </div>
      </Panel>
      <Panel title="What may be ordered">
        <Group>
          {BOUNDS.map(([name, label, least]) => (
            <NumberInput
              key={name}
              label={label}
              min={least}
              allowDecimal={false}
              thousandSeparator=","
              value={terms.bounds[name]}
              onChange={(value) =>
                change({ ...terms, bounds: { ...terms.bounds, [name]: Number(value) || least } })
              }
            />
          ))}
        </Group>
      </Panel>
      <Group>
        <Button onClick={() => preview.mutate(terms)} loading={preview.isPending}>
          Preview
        </Button>
        <Button variant="default" onClick={() => change(was)}>
          Reset
        </Button>
      </Group>
      <Trouble error={preview.error} />
      {preview.data && <PriceEffect effect={preview.data} terms={terms} was={was} />}
    </>
  )
}
