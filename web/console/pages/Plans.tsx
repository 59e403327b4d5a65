import { Group, JsonInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Page, Panel } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { plansQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

export function Plans() {
  const plans = useQuery(plansQuery)
  return (
    <Page title="Plans">
      <Shown query={plans}>
        {(data) => (
          <>
            <Panel title="On sale">
              <Rows label="Plans" head={['Plan', 'Activation', 'Daily', '65k', '131k', 'Term']}>
                {data.plans.map((plan) => (
                  <tr key={plan.name}>
                    <td>{plan.name}</td>
                    <td>
                      <Trx value={plan.activation_fee_trx} />
                    </td>
                    <td>
                      <Trx value={plan.daily_sub_trx} />
                    </td>
                    <td>
                      <Trx value={plan.unit_price_65k_trx} />
                    </td>
                    <td>
                      <Trx value={plan.unit_price_131k_trx} />
                    </td>
                    <td>{plan.term_days === null ? 'none' : `${plan.term_days} days`}</td>
                  </tr>
                ))}
              </Rows>
            </Panel>
            <Editor key={JSON.stringify(data.plans)} was={JSON.stringify(data.plans, null, 2)} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Editor({ was }: { was: string }) {
  const [text, setText] = useState(was)
  const plans = parsed(text)
  return (
    <Panel title="Change">
      <JsonInput
        label="All plans"
        description="One that is left out is withdrawn; subscriptions keep the plan they began with."
        autosize
        minRows={6}
        maxRows={24}
        value={text}
        onChange={setText}
        validationError="Not JSON"
      />
      <Group mt="sm">
        <Deed
          name="Replace plans"
          path="/plans"
          body={{ plans }}
          disabled={plans === undefined || text === was}
        >
          New subscriptions take these plans from now on.
        </Deed>
      </Group>
    </Panel>
  )
}

function parsed(text: string): unknown[] | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? read : undefined
  } catch {
    return undefined
  }
}
