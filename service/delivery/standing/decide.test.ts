import { expect, test } from 'vitest'
import { decideMove } from './decide.ts'
import { STANDING_ENERGY } from './level.ts'
import { NEVER_LOOKED } from './stray.ts'

test('on a network where nobody has staked, an address without Energy is given some', () => {
  const known = { ...NEVER_LOOKED, strayed: 0n, stake: 0n }
  const { move } = decideMove(known, {
    wanted: STANDING_ENERGY,
    measured: { limit: 0n, used: 0n },
    totals: { energyLimit: 180_000_000_000n, energyWeight: 0n },
    at: new Date('2030-01-01T10:00:00Z'),
    block: 7n,
    isCurrent: true,
  })
  expect(move.kind).toBe('delegate')
})
