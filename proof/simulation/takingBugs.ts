import type { Bug } from './bug.ts'
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

/** Mistakes with Energy that sellers took back. */
export const takingBugs: readonly Bug[] = [creditedAtTheHead, creditedWhole]
