import { Chart } from '../../shared/charts/Chart.tsx'
import type { Series } from '../../shared/charts/series.ts'
import { counted, drawnTrx, grouped, sunOf, trxOf } from '../../shared/money.ts'
import { Panel, Skeleton } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import type { Overview } from '../queries.ts'
import { trxWords } from './BalanceCard.tsx'

type Props = { overview: Overview | undefined }
type Day = Overview['days'][number]

const labelsOf = ({ days }: Overview) => days.map(({ date }) => dayWords(date))
const sumOf = ({ days }: Overview, field: 'spent_trx' | 'spent_orders_trx') =>
  days.reduce((all, day) => all + (sunOf(day[field]) ?? 0n), 0n)

const PURPOSES = [
  ['Orders', 'spent_orders_trx', '--series-1'],
  ['AutoEnergy', 'spent_autoenergy_trx', '--series-2'],
  ['Sales to customers', 'spent_agent_trx', '--series-4'],
] as const

/** What was spent each day, and on what. */
export function Spending({ overview }: Props) {
  return (
    <Panel title="Spent in 14 days">
      {overview ? (
        <>
          <p className="figure">
            <Trx value={trxOf(sumOf(overview, 'spent_trx'))} unit />
          </p>
          <p className="line small soft">
            In the last seven days <Trx value={overview.spent_week_trx} unit />.
          </p>
          <Chart
            label={`TRX spent by day and purpose. In the last seven days ${overview.spent_week_trx} TRX.`}
            labels={labelsOf(overview)}
            series={PURPOSES.map(([name, field, colour]) => ({
              name,
              colour,
              kind: 'bars',
              values: overview.days.map((day) => Math.max(drawnTrx(day[field]), 0)),
            }))}
            words={trxWords}
            empty="What you spend is drawn here by day: orders, AutoEnergy, sales to customers."
          />
        </>
      ) : (
        <Skeleton height={290} />
      )}
    </Panel>
  )
}

/** What the orders cost, against what the network would have burned for the same Energy. */
export function Savings({ overview }: Props) {
  if (!overview)
    return (
      <Panel title="Saved in 14 days">
        <Skeleton height={160} />
      </Panel>
    )
  const paid = sumOf(overview, 'spent_orders_trx')
  const burned = overview.burn_cost_trx === null ? undefined : sunOf(overview.burn_cost_trx)
  const energy = overview.days.reduce((all, day) => all + day.energy, 0)
  if (burned === undefined || energy === 0) {
    return (
      <Panel title="Saved in 14 days">
        <p className="soft chart-empty">
          {burned === undefined
            ? 'The network’s price of Energy is not known now.'
            : 'Once you have bought Energy, this compares its price with burning TRX for the same transfers.'}
        </p>
      </Panel>
    )
  }
  return (
    <Panel title="Saved in 14 days">
      <p className="figure">
        <Trx value={trxOf(burned - paid)} unit />
      </p>
      <p className="line small soft">
        {grouped(energy)} Energy. You paid <Trx value={trxOf(paid)} unit />; burning would have
        taken <Trx value={trxOf(burned)} unit />.
      </p>
      <Comparison
        rows={[
          { name: 'Paid here', trx: trxOf(paid), colour: '--series-1' },
          { name: 'Burned instead', trx: trxOf(burned), colour: '--series-3' },
        ]}
      />
    </Panel>
  )
}

/** Amounts as bars from one line, each with its figure. */
export function Comparison({ rows }: { rows: { name: string; trx: string; colour: string }[] }) {
  const most = Math.max(...rows.map(({ trx }) => drawnTrx(trx)), 0) || 1
  return (
    <dl className="comparison">
      {rows.map(({ name, trx, colour }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <i
              style={{ width: `${(drawnTrx(trx) / most) * 100}%`, background: `var(${colour})` }}
            />
            <Trx value={trx} unit />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** How the orders ended, and how long a delivery took. */
export function Outcomes({ overview }: Props) {
  if (!overview)
    return (
      <Panel title="Orders in 14 days">
        <Skeleton height={290} />
      </Panel>
    )
  const { days } = overview
  const total = (field: 'completed' | 'failed') => days.reduce((all, day) => all + day[field], 0)
  const completed = total('completed')
  const timed = days.filter((day) => day.delivery_seconds !== null)
  const seconds =
    timed.reduce((all, day) => all + day.delivery_seconds! * day.completed, 0) /
    timed.reduce((all, day) => all + day.completed, 0)
  const bars = (name: string, field: 'completed' | 'failed', colour: string): Series => ({
    name,
    colour,
    kind: 'bars',
    values: days.map((day: Day) => day[field]),
  })
  return (
    <Panel title="Orders in 14 days">
      <p className="figure">
        {grouped(completed)} <span className="unit">completed</span>
      </p>
      <p className="line small soft">
        {total('failed') === 0
          ? 'None failed'
          : `${counted(total('failed'), 'order')} failed and cost nothing`}
        {timed.length > 0 && `; delivered in ${Number(seconds.toFixed(1))} s on average`}.
      </p>
      <Chart
        label={`Orders by day: ${completed} completed, ${total('failed')} failed.`}
        labels={labelsOf(overview)}
        series={[bars('Completed', 'completed', '--done'), bars('Failed', 'failed', '--bad')]}
        words={(value) => grouped(Math.round(value))}
        empty="Your orders are counted here by day, with the seconds that a delivery takes."
      />
    </Panel>
  )
}
