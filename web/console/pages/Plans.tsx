import type { getOperatorPlans, Reply } from '@ergon/contract'
import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { plansQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown } from '../Shown.tsx'

type Plan = Reply<typeof getOperatorPlans>['plans'][number]

export function Plans() {
  const plans = useQuery(plansQuery)
  return (
    <Page title="Plans">
      <Shown query={plans}>
        {(data) => (
          <>
            <Panel title="On sale">
              {data.plans.length === 0 ? (
                <EmptyState title="No plans">
                  Without a plan nobody can begin an AutoEnergy subscription.
                </EmptyState>
              ) : (
                <OnSale plans={data.plans} />
              )}
            </Panel>
            <Editor key={JSON.stringify(data.plans)} was={data.plans} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function OnSale({ plans }: { plans: Plan[] }) {
  return (
    <Rows
      label="Plans"
      head={['Plan', ...AMOUNTS.map(([, , short]) => short), 'Term']}
      right={AMOUNTS.map(([, , short]) => short)}
    >
      {plans.map((plan) => (
        <tr key={plan.name}>
          <td>{plan.name}</td>
          {AMOUNTS.map(([field, , short]) => (
            <td key={field} className="right" data-label={short}>
              <Trx value={plan[field]} />
            </td>
          ))}
          <td data-label="Term">{plan.term_days === null ? 'none' : `${plan.term_days} days`}</td>
        </tr>
      ))}
    </Rows>
  )
}

const AMOUNTS = [
  ['activation_fee_trx', 'Activation, TRX', 'Activation'],
  ['daily_sub_trx', 'Daily, TRX', 'Daily'],
  ['unit_price_65k_trx', 'Transfer up to 65k, TRX', '65k'],
  ['unit_price_131k_trx', 'Larger transfer, TRX', '131k'],
] as const

const isAmount = (text: string) => /^\d{1,9}(\.\d{1,6})?$/.test(text)
const isWhole = (plan: Plan) =>
  plan.name.trim() !== '' && AMOUNTS.every(([field]) => isAmount(plan[field]))

/** A plan while it is edited. Its key stays when its name changes. */
type Draft = { key: string; plan: Plan }

function Editor({ was }: { was: Plan[] }) {
  const [drafts, setDrafts] = useState<Draft[]>(was.map((plan) => ({ key: plan.name, plan })))
  const plans = drafts.map(({ plan }) => plan)
  const change = (key: string, part: Partial<Plan>) =>
    setDrafts(
      drafts.map((one) => (one.key === key ? { key, plan: { ...one.plan, ...part } } : one)),
    )
  const add = () => {
    const like = plans.at(-1) ?? EMPTY
    setDrafts([...drafts, { key: crypto.randomUUID(), plan: { ...like, name: '' } }])
  }
  const names = new Set(plans.map(({ name }) => name.trim()))
  const twice = names.size < plans.length
  const isNew = JSON.stringify(plans) !== JSON.stringify(was)
  const withdrawn = was.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  return (
    <Panel title="Change">
      <Stack>
        <Text size="sm" c="dimmed">
          One that is removed is withdrawn; subscriptions keep the plan they began with.
        </Text>
        {drafts.map(({ key, plan }) => (
          <Fields
            key={key}
            plan={plan}
            change={(part) => change(key, part)}
            remove={() => setDrafts(drafts.filter((one) => one.key !== key))}
          />
        ))}
        {twice && <Health ok={false}>Two plans have the same name</Health>}
        <Group>
          <Button size="xs" variant="default" onClick={add}>
            Add a plan
          </Button>
          <Deed
            name="Replace plans"
            path="/plans"
            body={{ plans: plans.map((plan) => ({ ...plan, name: plan.name.trim() })) }}
            disabled={!isNew || twice || !plans.every(isWhole)}
          >
            New subscriptions take these plans from now on.
            {withdrawn.length > 0 && ` Withdrawn: ${withdrawn.join(', ')}.`}
          </Deed>
        </Group>
      </Stack>
    </Panel>
  )
}

const EMPTY: Plan = {
  name: '',
  activation_fee_trx: '0',
  daily_sub_trx: '0',
  unit_price_65k_trx: '0',
  unit_price_131k_trx: '0',
  term_days: null,
}

function Fields({
  plan,
  change,
  remove,
}: {
  plan: Plan
  change(part: Partial<Plan>): void
  remove(): void
}) {
  return (
    <fieldset className="plain-set">
      <legend className="hidden">{plan.name || 'New plan'}</legend>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Plan"
          size="xs"
          w={120}
          maxLength={40}
          value={plan.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        {AMOUNTS.map(([field, label]) => (
          <TextInput
            key={field}
            label={label}
            size="xs"
            w={168}
            inputMode="decimal"
            value={plan[field]}
            error={isAmount(plan[field]) ? undefined : 'Not an amount'}
            onChange={(event) => change({ ...plan, [field]: event.currentTarget.value.trim() })}
          />
        ))}
        <NumberInput
          label="Term, days"
          placeholder="none"
          size="xs"
          w={96}
          min={1}
          max={36_500}
          allowDecimal={false}
          value={plan.term_days ?? ''}
          onChange={(value) => change({ term_days: Number(value) || null })}
        />
        <Button
          size="xs"
          variant="subtle"
          color="red"
          onClick={remove}
          aria-label={`Remove ${plan.name || 'the new plan'}`}
        >
          Remove
        </Button>
      </Group>
    </fieldset>
  )
}
