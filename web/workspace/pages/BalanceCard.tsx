import { useQuery } from '@tanstack/react-query'
import { Chart } from '../../shared/charts/Chart.tsx'
import { counted, drawnTrx, readableTrx, sunOf } from '../../shared/money.ts'
import { Panel, Skeleton, Trouble } from '../../shared/Page.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { dayWords } from '../../shared/times.ts'
import { accountQuery, type Overview } from '../queries.ts'

const WEEK = 7n
const DAY_MS = 86_400_000
/** Days ahead that are drawn. */
const AHEAD = 7

/** The balance now, how it came about, and the day on which it runs out at this week's pace. */
export function BalanceCard({ overview }: { overview: Overview | undefined }) {
  const { data, error, refetch } = useQuery(accountQuery)
  if (error) return <Trouble error={error} retry={refetch} />
  return (
    <Panel title="Balance">
      {data && overview ? (
        <div className="column">
          <p className="hero" aria-live="polite">
            <Trx value={data.balance_trx} unit />
          </p>
          <p className="line soft">{paceWords(data.balance_trx, overview)}</p>
          {data.reserved_trx !== '0' && (
            <p className="line small soft">
              <Trx value={data.reserved_trx} unit /> of it are held for AutoEnergy.
            </p>
          )}
          <History balance={data.balance_trx} overview={overview} />
        </div>
      ) : (
        <Skeleton height={290} />
      )}
    </Panel>
  )
}

/** Days that the balance lasts at this week's rate; undefined when nothing was spent. */
function daysLeft(balance: string, { spent_week_trx }: Overview): bigint | undefined {
  const spent = sunOf(spent_week_trx) ?? 0n
  const left = sunOf(balance) ?? 0n
  return spent > 0n && left > 0n ? (left * WEEK) / spent : undefined
}

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)

function paceWords(balance: string, overview: Overview): string {
  if ((sunOf(balance) ?? 0n) <= 0n) return 'Top up to buy your first Energy.'
  const days = daysLeft(balance, overview)
  if (days === undefined) return 'Nothing was spent in the last seven days.'
  if (days > 365n) return 'Lasts more than a year at this week’s pace.'
  const last = dayAfter(overview.days.at(-1)!.date, Number(days))
  return `Lasts about ${counted(days, 'day')} at this week’s pace, until ${dayWords(last)}.`
}

function History({ balance, overview }: { balance: string; overview: Overview }) {
  const { days, spent_week_trx } = overview
  const today = days.at(-1)!.date
  const perDay = drawnTrx(spent_week_trx) / Number(WEEK)
  const now = drawnTrx(balance)
  const ahead = perDay > 0 ? Array.from({ length: AHEAD }, (_, i) => i + 1) : []
  const past = days.map(({ balance_trx }) => drawnTrx(balance_trx))
  const guess = ahead.map((day) => Math.max(now - perDay * day, 0))
  return (
    <Chart
      label={`Balance by day. Now ${readableTrx(balance)} TRX.`}
      labels={[
        ...days.map(({ date }) => dayWords(date)),
        ...ahead.map((day) => dayWords(dayAfter(today, day))),
      ]}
      series={[
        {
          name: 'Balance',
          values: [...past.slice(0, -1), now, ...ahead.map(() => null)],
          kind: 'line',
          colour: '--series-1',
        },
        {
          name: 'At this week’s pace',
          values: [...past.slice(0, -1).map(() => null), now, ...guess],
          kind: 'dashed',
          colour: '--series-3',
        },
      ]}
      words={trxWords}
      empty="Your balance by day is drawn here once you have topped up."
      height={168}
    />
  )
}

/** A drawn value as it is read. */
export const trxWords = (value: number) => `${readableTrx(value.toFixed(6))} TRX`
