import type { Bug } from './bug.ts'
import type { Intercept, Statement } from './client.ts'
import { rewriting } from './rewriting.ts'

/** Replaces a part of a function of the database; that the part is gone is an error. */
function inFunction(name: string, from: string, to: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
  return `do $do$
    declare text text := pg_get_functiondef(${quoted(name)}::regproc);
    begin
      if position(${quoted(from)} in text) = 0 then
        raise exception 'mend the planted bug: % no longer has its part', ${quoted(name)};
      end if;
      execute replace(text, ${quoted(from)}, ${quoted(to)});
    end $do$`
}

const THOUGHTS = 12

/** Lets others go on before a statement, as a remote call in between would. */
function thinking(statement: string, then: Intercept): Intercept {
  return async (given, connection) => {
    const steps = given.name === statement ? THOUGHTS : 0
    for (let n = 0; n < steps; n++) await connection.step('thinks about what it has read')
    return then(given, connection)
  }
}
const asGiven: Intercept = (given, { run }) => run(given)

const redeemedTwice: Bug = {
  name: 'quote-redeemed-twice',
  belief: 'The quote was open when it was looked at, so the purchase may redeem it.',
  scene: 'wholesale',
  prepare: [inFunction('orders.buy_all', 'and q.order_id is null ', '')],
  intercept: () => thinking('orders.buyAll', asGiven),
}

const keptOfBatch: Bug = {
  name: 'batch-keeps-what-it-bought',
  belief: 'A batch is its purchases, one after the other.',
  scene: 'wholesale',
  prepare: [],
  intercept: () => async (given, connection) => {
    const columns = given.values as unknown[][]
    if (given.name !== 'orders.buyAll' || columns[0]!.length === 1) return connection.run(given)
    const one = (place: number): Statement => ({
      ...given,
      values: columns.map((column) => [column[place]]),
    })
    let last = await connection.run(one(0))
    const rows = [...last.rows]
    for (let place = 1; place < columns[0]!.length; place++) {
      last = await connection.run(one(place))
      rows.push(...last.rows)
    }
    return { ...last, rows }
  },
}

/** Index of the idempotency keys among the values of a batch, after the quotes. */
const KEYS = 3

const keyOfItsBatch: Bug = {
  name: 'key-of-its-batch-alone',
  belief: 'The keys of a batch keep the batch apart from others, so each purchase needs none.',
  scene: 'wholesale',
  prepare: [],
  intercept:
    () =>
    async (given, { run }) => {
      if (given.name !== 'orders.buyAll') return run(given)
      const keys = (given.values[KEYS] as unknown[]).map(() => null)
      return run({ ...given, values: given.values.with(KEYS, keys) })
    },
}

const soldTwice: Bug = {
  name: 'skipped-payment-sold-twice',
  belief: 'The payment was skipped when it was looked at, so it may be sold.',
  scene: 'redelivery',
  prepare: [
    'drop trigger payment_transition_allowed on agent.payment',
    'alter table ledger.movement drop constraint one_movement_per_fact',
  ],
  intercept: () =>
    thinking(
      'agent.lockDeliverable',
      rewriting([
        {
          statement: 'agent.lockDeliverable',
          from: `and p.status = 'skipped' and p.skip_reason = any ($3::text[])`,
          to: 'and $3::text[] is not null',
        },
        { statement: 'agent.lockDeliverable', from: 'for update of p', to: '' },
        { statement: 'agent.deliverPayment', from: `and status = 'skipped'`, to: '' },
      ]),
    ),
}

const paidTwice: Bug = {
  name: 'commission-paid-twice',
  belief: 'What was written seconds ago belongs to the next round, so this one does not mark it.',
  scene: 'wholesale',
  prepare: ['alter table ledger.movement drop constraint one_movement_per_fact'],
  intercept: () =>
    rewriting([
      {
        statement: 'orders.markCommissionsPaid',
        from: 'where order_id = any ($1)',
        to: `where order_id = any ($1) and created_at < $2::timestamptz - interval '10 seconds'`,
      },
    ]),
}

const ofTodaysPrice: Bug = {
  name: 'commission-of-the-price-of-now',
  belief: 'An order costs what its Energy costs at the hour in which it is delivered.',
  scene: 'wholesale',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'orders.insertCommissions',
        from: 'o.price_sun * t.basis_points / 10000',
        to: '(select o.resource_amount * p.schedule_sun[1] from pricing.terms p) * t.basis_points / 10000',
      },
    ]),
}

/** Mistakes with held prices, batches, skipped payments and commissions. */
export const additionBugs: readonly Bug[] = [
  redeemedTwice,
  keptOfBatch,
  keyOfItsBatch,
  soldTwice,
  paidTwice,
  ofTodaysPrice,
]
