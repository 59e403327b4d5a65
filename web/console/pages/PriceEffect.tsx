import type { postOperatorSchedulePreview, Reply } from '@ergon/contract'
import { Group, Stack, Text } from '@mantine/core'
import { Address } from '../../shared/Address.tsx'
import { counted, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { Deed } from '../Deed.tsx'
import { Health, Rows } from '../Shown.tsx'

export type Effect = Reply<typeof postOperatorSchedulePreview>
export type Bounds = { min_amount: number; max_amount: number; margin_floor_sun: number }
export type Terms = { schedule: number[]; bounds: Bounds }

/** The effect of a change on the margin and on agents, with the button to save it. */
export function PriceEffect({ effect, terms, was }: { effect: Effect; terms: Terms; was: Terms }) {
  const margins = effect.hours.flatMap(({ margin_sun }) => margin_sun ?? [])
  const least = margins.reduce((a, b) => (b < a ? b : a), margins[0] ?? 0n)
  const changes = changesOf(effect, terms, was)
  const { min_amount, max_amount } = terms.bounds
  return (
    <Panel title="What this does">
      <Stack gap="sm" aria-live="polite">
        <Health ok={effect.hours_below_cost === 0}>
          {effect.wholesale_sun === null
            ? 'Energy cannot be had now, so the margin is not known'
            : `Wholesale ${effect.wholesale_sun} SUN: the least margin is ${least} SUN`}
          {effect.hours_below_cost > 0 &&
            `; nothing is sold in ${counted(effect.hours_below_cost, 'hour')}`}
        </Health>
        {min_amount > max_amount && (
          <Health ok={false}>The smallest order is above the largest: nothing could be sold</Health>
        )}
        <LastWeek {...effect.last_week} />
        <AgentsAtRisk agents={effect.agents_at_risk} />
        <Text size="sm">
          {changes.length === 0 ? 'Nothing changes.' : `${changes.join('. ')}.`}
        </Text>
        <Group>
          <Deed
            name="Save prices"
            path="/schedule"
            body={{
              schedule: terms.schedule,
              ...terms.bounds,
              was: was.schedule,
              was_bounds: was.bounds,
            }}
            disabled={changes.length === 0 || min_amount > max_amount}
          >
            {changes.join('. ')}, for every purchase from now on. Agents at risk are notified.
          </Deed>
        </Group>
      </Stack>
    </Panel>
  )
}

/** The effect on what was sold, if the same had been bought. */
function LastWeek({ energy, revenue_trx, proposed_trx }: Effect['last_week']) {
  const change = (sunOf(proposed_trx) ?? 0n) - (sunOf(revenue_trx) ?? 0n)
  if (BigInt(energy) === 0n) return <Text size="sm">Nothing was sold in the last seven days.</Text>
  return (
    <Text size="sm" component="p">
      The {grouped(energy)} Energy sold in the last seven days brought{' '}
      <Trx value={revenue_trx} unit />; at these prices it would have been{' '}
      <Trx value={proposed_trx} unit />, <Trx value={trxOf(change)} signed unit />.
    </Text>
  )
}

function changesOf(effect: Effect, terms: Terms, was: Terms): string[] {
  const hours = effect.hours.filter((hour) => hour.price_sun !== hour.was_sun).length
  const { min_amount, max_amount, margin_floor_sun } = terms.bounds
  const sentenceIf = (differs: boolean, words: string) => (differs ? [words] : [])
  return [
    ...sentenceIf(hours > 0, `${counted(hours, 'hour')} ${hours === 1 ? 'changes' : 'change'}`),
    ...sentenceIf(
      min_amount !== was.bounds.min_amount,
      `The smallest order becomes ${grouped(min_amount)} Energy`,
    ),
    ...sentenceIf(
      max_amount !== was.bounds.max_amount,
      `The largest order becomes ${grouped(max_amount)} Energy`,
    ),
    ...sentenceIf(
      margin_floor_sun !== was.bounds.margin_floor_sun,
      `At least ${margin_floor_sun} SUN of each Energy must stay`,
    ),
  ]
}

function AgentsAtRisk({ agents }: { agents: Effect['agents_at_risk'] }) {
  if (agents.length === 0) return <Health ok>No agent is at risk</Health>
  return (
    <>
      <Health ok={agents.every(({ already }) => already)}>
        {counted(agents.length, 'agent')} at risk: customers are skipped in the dearest hour
      </Health>
      <Rows
        label="Agents at risk"
        head={['Agent', 'Account', 'Takes', 'Would cost', 'Before']}
        right={['Takes', 'Would cost']}
      >
        {agents.map((risk) => (
          <tr key={risk.config_id}>
            <td>{risk.title || 'untitled'}</td>
            <td>
              <Address value={risk.account_id} />
            </td>
            <td className="right" data-label="Takes">
              <Trx value={trxOf(risk.base_payment_sun)} unit />
            </td>
            <td className="right" data-label="Would cost">
              {risk.outside ? 'cannot be ordered' : <Trx value={trxOf(risk.cost_max_sun)} unit />}
            </td>
            <td data-label="Before">{risk.already ? 'at risk already' : 'covered'}</td>
          </tr>
        ))}
      </Rows>
    </>
  )
}
