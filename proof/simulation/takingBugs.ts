import type { Bug } from './bug.ts'
import type { Intercept } from './client.ts'
import { rewriting } from './rewriting.ts'

const creditedAtTheHead: Bug = {
  name: 'reclaim-credited-at-the-head',
  belief: 'The block shows that the Energy is gone; there is nothing to wait for.',
  scene: 'taking',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.openReclaims',
        from: 'f.block_number <= $1',
        to: '$1::bigint is not null',
      },
      // Nor for the silence after it.
      {
        statement: 'delivery.readMoved',
        from: 'max(m.block) as latest',
        to: '0::bigint as latest',
      },
    ]),
}

const creditedWhole: Bug = {
  name: 'reclaim-credited-for-the-hour',
  belief: 'What was taken back was sold for an hour, so an hour is given back.',
  scene: 'taking',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.readNeeded',
        from: 'd.reclaim_at as "endsAt"',
        to: `$4::timestamptz + interval '1 hour' as "endsAt"`,
      },
    ]),
}

const creditedAgain: Bug = {
  name: 'reclaim-credited-at-each-look',
  belief:
    'What was needed at the first look is needed at the next, so who looks again finds the same.',
  scene: 'taking',
  prepare: [
    'alter table delivery.taken_back drop constraint taken_back_pkey',
    'alter table orders.reclaim_credit drop constraint reclaim_credit_pkey',
    'alter table ledger.movement drop constraint one_movement_per_fact',
  ],
  intercept() {
    const unmarked = rewriting([
      {
        statement: 'delivery.decideReclaim',
        from: 'where txid = $1',
        to: 'where txid = $1 and $2::timestamptz is null',
      },
    ])
    const first = new Map<string, Awaited<ReturnType<Intercept>>>()
    return async (given, connection) => {
      if (given.name !== 'delivery.readNeeded') return unmarked(given, connection)
      const whatFor = given.values.map(String).join(' ')
      const result = first.get(whatFor) ?? (await connection.run(given))
      first.set(whatFor, result)
      return result
    }
  },
}

/** Mistakes with Energy that sellers took back. */
export const takingBugs: readonly Bug[] = [creditedAtTheHead, creditedWhole, creditedAgain]
