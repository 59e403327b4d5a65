import { additionBugs } from './additionBugs.ts'
import { budgetBugs } from './budgetBugs.ts'
import type { Bug } from './bug.ts'
import { ConnectionLost, type Statement } from './client.ts'
import { laterBugs } from './laterBugs.ts'
import { marketBugs } from './marketBugs.ts'
import { rewriting } from './rewriting.ts'
import { stakeBugs } from './stakeBugs.ts'
import { takingBugs } from './takingBugs.ts'
import { treasuryBugs } from './treasuryBugs.ts'

const SECONDS_TO_PATIENCE = 20

/** Ends an order before the blocks up to its deadline are read. */
const unread = {
  statement: 'delivery.overdueRequests',
  from: 'r.deadline_at < $2',
  to: '$2::timestamptz is not null',
}

const refundOnTimeout: Bug = {
  name: 'refund-on-timeout',
  belief:
    'What has not answered within a few seconds has failed, so the client gets the price back.',
  scene: 'trade',
  weather: { slowBroadcast: 0.5, jump: 0, stepMs: 160 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.overdueRequests',
        from: 'deadline_at <= $1',
        to: `deadline_at - interval '${120 - SECONDS_TO_PATIENCE} seconds' <= $1`,
      },
      unread,
    ]),
}

const quiet = { crash: 0, breakage: 0, reorganisation: 0, moody: 0, slowBroadcast: 0, jump: 0 }

/** A real bug: who bought while the scanner stood still got the Energy and the refund. */
const judgeBeforeReading: Bug = {
  name: 'judge-before-reading',
  belief:
    'When our clock says that the two minutes are over, an order that is not complete has failed.',
  scene: 'trade',
  weather: { ...quiet, blind: 0.004, lostRequest: 0, lag: 0, stepMs: 80 },
  prepare: [],
  intercept: () => rewriting([unread]),
}

const resendBlindly: Bug = {
  name: 'resend-blindly',
  belief: 'What has not been seen for a while is built anew and sent again.',
  scene: 'trade',
  weather: { slowBroadcast: 0.5, jump: 0, stepMs: 160 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.lockOpenParts',
        from: 'select p.id',
        to: `with given_up as (
               update delivery.attempt set state = 'absent', reason = 'no news'
                where state = 'sent' and created_at < clock_timestamp() - interval '5 seconds'
               returning part_id
             ), again as (
               update delivery.part set state = 'open' from given_up
                where delivery.part.id = given_up.part_id
             )
             select p.id`,
      },
    ]),
}

const believeNeverSeen: Bug = {
  name: 'believe-never-seen',
  belief: 'What was sent and is in no block that we have read is not coming any more.',
  scene: 'trade',
  weather: { slowBroadcast: 0.5, jump: 0, stepMs: 160 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'chain.expireBroadcasts',
        from: 'expires_at < $1',
        to: '$1::timestamptz is not null and sends > 0',
      },
    ]),
}

const EVENT_STEPS = 20

const eventAfterCommit: Bug = {
  name: 'event-outside-the-transaction',
  belief: 'The event can be written once the commit has gone through.',
  scene: 'trade',
  weather: { crash: 0.012 },
  prepare: [],
  intercept() {
    let later: Statement[] = []
    return async (given, { run, step }) => {
      if (given.name === 'events.emitMany') {
        later.push(given)
        return { rows: [], rowCount: 0, command: '', oid: 0, fields: [] }
      }
      const result = await run(given)
      if (given.name !== 'commit') {
        if (given.name === 'rollback') later = []
        return result
      }
      for (const event of later.splice(0)) {
        // A crash in a single step would be found by one seed in forty.
        for (let turn = 0; turn < EVENT_STEPS; turn++) await step('an event after its commit')
        await run(event)
      }
      return result
    }
  },
}

const cursorBeforeEffects: Bug = {
  name: 'cursor-before-effects',
  belief: 'The cursor is saved first, so that no block is read twice.',
  scene: 'trade',
  weather: { crash: 0.03, breakage: 0.03 },
  prepare: [],
  intercept: () => async (given, connection) => {
    const result = await connection.run(given)
    if (given.name !== 'chain.moveCursor') return result
    await connection.run({ name: 'commit', text: 'commit', values: [] })
    await connection.step('the cursor is saved before the effects')
    await connection.run({ name: 'begin', text: 'begin', values: [] })
    return result
  },
}

const leaseForSafety: Bug = {
  name: 'lease-trusted-for-safety',
  belief: 'When its lease is over nobody works on a part, so whoever comes next may place it.',
  scene: 'trade',
  weather: { slowBroadcast: 0.5, jump: 0, stepMs: 160 },
  prepare: ['drop index delivery.one_open_attempt_per_part'],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.lockOpenParts',
        from: `p.state = 'open' and`,
        to: `(p.state = 'open' or p.state = 'trying' and not exists (
               select from delivery.attempt a where a.part_id = p.id
                  and a.created_at > clock_timestamp() - interval '4 seconds')) and`,
      },
    ]),
}

const settleUnchecked: Bug = {
  name: 'settle-without-looking',
  belief: 'Whoever brings an outcome is the only one, so the order is still open.',
  scene: 'trade',
  weather: { wake: 0.4 },
  prepare: [
    'drop trigger order_transition_allowed on orders.purchase_order',
    'drop index ledger.delivered_or_refunded_once',
    'alter table ledger.movement drop constraint one_movement_per_fact',
  ],
  intercept: () =>
    rewriting([
      { statement: 'orders.lockProcessing', from: `and status = 'PROCESSING'`, to: '' },
      {
        statement: 'delivery.lockRequests',
        from: 'select id, state,',
        to: `select id, 'open' as state,`,
      },
      {
        statement: 'delivery.endAttempts',
        from: `and a.state in ('sending', 'sent', 'unknown', 'undecided')`,
        to: '',
      },
    ]),
}

/** A real bug that the simulation found in the service. */
const solidOfAnotherBranch: Bug = {
  name: 'solid-of-another-branch',
  belief: 'The block that a node calls solid is the one of that height that we have read.',
  scene: 'trade',
  weather: { reorganisation: 0.03, lostAnswer: 0 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'chain.raiseSolid',
        from: 'and exists (select from chain.block b where b.id = $2 and b.on_chain)',
        to: '',
      },
    ]),
}

/** The answer of every third group is lost, so that the bug has an effect. */
const GROUPS_TO_LOSS = 3
/** Index of the idempotency key among the values of a purchase. */
const KEY = 2

const boughtAnew: Bug = {
  name: 'bought-anew',
  belief: 'A group whose connection broke was not bought, so its keys may buy again.',
  scene: 'rush',
  weather: { crash: 0, breakage: 0 },
  prepare: [],
  intercept() {
    let groups = 0
    const lost = new Set<unknown>()
    const free = (key: unknown) => (lost.has(key) ? null : key)
    return async (given, connection) => {
      const { name, values } = given
      if (name === 'orders.buyOne') {
        return connection.run({ ...given, values: values.with(KEY, free(values[KEY])) })
      }
      if (name !== 'orders.buyMany') return connection.run(given)
      const keys = values[KEY] as unknown[]
      const result = await connection.run({ ...given, values: values.with(KEY, keys.map(free)) })
      groups += 1
      if (groups % GROUPS_TO_LOSS !== 0) return result
      for (const key of keys) lost.add(key)
      throw new ConnectionLost('the answer is lost')
    }
  },
}

export const bugs: readonly Bug[] = [
  refundOnTimeout,
  judgeBeforeReading,
  resendBlindly,
  believeNeverSeen,
  eventAfterCommit,
  cursorBeforeEffects,
  leaseForSafety,
  settleUnchecked,
  solidOfAnotherBranch,
  boughtAnew,
  ...laterBugs,
  ...stakeBugs,
  ...marketBugs,
  ...treasuryBugs,
  ...additionBugs,
  ...takingBugs,
  ...budgetBugs,
]
