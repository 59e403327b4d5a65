import type { Bug } from './bug.ts'
import type { Intercept } from './client.ts'
import type { Rates } from './rates.ts'
import { rewriting } from './rewriting.ts'

/** Rates at which subscriptions become active, calls are made and Energy is resold. */
const FAIR: Partial<Rates> = {
  crash: 0,
  breakage: 0,
  lostRequest: 0,
  lostAnswer: 0,
  moody: 0,
  lag: 0,
}

const billByTime: Bug = {
  name: 'bill-by-time',
  belief:
    'Calls come one after the other: what is newer than the last one billed is still to bill.',
  scene: 'autoenergy',
  weather: FAIR,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'autoenergy.lockSeenCalls',
        from: `state = 'seen' and block_number is not null`,
        to: `state = 'seen' and block_number is not null and block_time > coalesce(
               (select s.last_activity_at from autoenergy.subscription s where s.id = $1), '-infinity')`,
      },
      {
        statement: 'autoenergy.lockSeenCalls',
        from: 'order by txid',
        to: 'order by block_number, position limit 1',
      },
    ]),
}

const dayByOurClock: Bug = {
  name: 'day-by-our-clock',
  belief:
    'When our clock says that a day has begun, it is charged; blocks have nothing to do with it.',
  scene: 'autoenergy',
  weather: { ...FAIR, jump: 0.01 },
  prepare: [],
  intercept() {
    const due = rewriting([
      {
        statement: 'autoenergy.subscriptionsToSettle',
        from: 'due_at <= $1',
        to: 'due_at <= greatest($1, clock_timestamp())',
      },
    ])
    const solid = rewriting([
      {
        statement: 'chain.readCursor',
        from: 'solid_time as',
        to: `solid_time + interval '30 days' as`,
      },
    ])
    let isSettling = false
    const intercept: Intercept = (given, connection) => {
      if (given.name === 'autoenergy.subscriptionsToSettle') {
        isSettling = true
        return due(given, connection)
      }
      if (given.name !== 'chain.readCursor' || !isSettling) return connection.run(given)
      isSettling = false
      // Another text needs another prepared statement, hence another name.
      return solid(given, { ...connection, run: (one) => connection.run({ ...one, name: 'late' }) })
    }
    return intercept
  },
}

const topUpFromMemory: Bug = {
  name: 'top-up-from-memory',
  belief:
    'What the address lacked when we looked is what it lacks; what is on its way changes nothing.',
  scene: 'autoenergy',
  weather: { ...FAIR, slowBroadcast: 0.5 },
  prepare: ['drop index delivery.one_open_move_per_stake'],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.claimStanding',
        from: `and not exists (select from delivery.standing_move m
                         where m.address = c.address and m.state in ('sent', 'orphaned'))`,
        to: '',
      },
      {
        statement: 'delivery.lockStanding',
        from: `exists (select from delivery.standing_move m
                  where m.address = s.address and m.state in ('sent', 'orphaned')) as "underWay"`,
        to: 'false as "underWay"',
      },
    ]),
}

const fillUpForOthers: Bug = {
  name: 'fill-up-for-others',
  belief: 'What was used on a covered address was used by the address, so the level is filled up.',
  scene: 'strangers',
  weather: FAIR,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.lockStanding',
        from: 's.explained,',
        to: 's.explained + 1000000000 as explained,',
      },
    ]),
}

const forgottenAtTheNext: Bug = {
  name: 'forgotten-at-the-next-activation',
  belief: 'What others took belongs to a subscription that is closed; the next one begins anew.',
  scene: 'strangers',
  weather: FAIR,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'autoenergy.listStrays',
        from: 'where account_id = $1',
        to: 'where false and account_id = $1',
      },
    ]),
}

const decideUnlocked: Bug = {
  name: 'decide-without-the-lock',
  belief: 'The payment was undecided when it was read, so it may be sold.',
  scene: 'resale',
  prepare: [],
  intercept() {
    const unlocked = rewriting([
      {
        statement: 'agent.lockUndecided',
        from: `and status = 'processing' and block_number is not null and block_time = $2
     for update skip locked`,
        to: 'and block_time = $2',
      },
    ])
    return async (given, connection) => {
      const thoughts = given.name === 'agent.lockUndecided' ? THOUGHTS : 0
      for (let n = 0; n < thoughts; n++) await connection.step('thinks about what it has read')
      return unlocked(given, connection)
    }
  },
}

const eachForItself: Bug = {
  name: 'each-account-for-itself',
  belief: 'An account within its limit costs the service little, however many accounts there are.',
  scene: 'credit',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'deposits.serviceCredit',
        from: 'coalesce(sum(greatest(a.amount - $1, 0)), 0)::bigint as service',
        to: 'coalesce(sum(greatest(a.amount - $1, 0)) * 0, 0)::bigint as service',
      },
    ]),
}

const roomOfOrphans: Bug = {
  name: 'room-of-orphaned-credit',
  belief: 'Orphaned credit cannot be spent, so its room is free for others.',
  scene: 'credit',
  weather: { reorganisation: 0.03, drop: 0.5 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'deposits.serviceCredit',
        from: 'where posted',
        to: 'where credited_at is not null',
      },
      {
        statement: 'deposits.unverifiedCredit',
        from: 'and posted',
        to: 'and credited_at is not null',
      },
    ]),
}

const creditedByEachBranch: Bug = {
  name: 'credited-by-each-branch',
  belief: 'A block that was not read before holds transfers that were not credited before.',
  scene: 'trade',
  weather: { ...FAIR, reorganisation: 0.03, drop: 0 },
  prepare: ['alter table ledger.movement drop constraint one_movement_per_fact'],
  intercept: () =>
    rewriting([
      {
        statement: 'deposits.insertDeposits',
        from: 'do nothing',
        to: 'do update set block_number = excluded.block_number',
      },
    ]),
}

const judgeByBlock: Bug = {
  name: 'judge-by-the-block-alone',
  belief: 'The configuration at the block decides; what a page said before is history.',
  scene: 'resale',
  weather: { ...FAIR, reorganisation: 0, jump: 0 },
  prepare: [],
  intercept: () =>
    rewriting([
      { statement: 'agent.readOffers', from: 'secs => $2 / 1000.0', to: 'secs => $2 * 0.0' },
    ]),
}

/** Steps between reading and selling, as long as a remote call would take. */
const THOUGHTS = 60

/** Mistakes in AutoEnergy, in resale and in credit before finality. */
export const laterBugs: readonly Bug[] = [
  billByTime,
  dayByOurClock,
  topUpFromMemory,
  fillUpForOthers,
  forgottenAtTheNext,
  decideUnlocked,
  eachForItself,
  roomOfOrphans,
  creditedByEachBranch,
  judgeByBlock,
]
