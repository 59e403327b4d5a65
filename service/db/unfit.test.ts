import { expect, test } from 'vitest'
import { unfitness } from './unfit.ts'

test.each([150_000, 150_018, 160_014, 170_010, 180_004, 190_000])(
  'a server of version %i is used',
  (version) => {
    expect(unfitness({ version, commit: 'on' })).toBeUndefined()
    expect(unfitness({ version, commit: 'remote_apply' })).toBeUndefined()
  },
)

test.each([
  [149_999, '14'],
  [140_023, '14'],
  [90_624, '9'],
])('a server of version %i is refused in one sentence, with what to do', (version, shown) => {
  expect(unfitness({ version, commit: 'on' })).toMatchObject({
    message: `PostgreSQL 15 or newer is needed, and this server is ${shown}. Upgrade it with pg_upgrade, or name another server.`,
    trouble: `PostgreSQL 15 or newer is needed, and this server is ${shown}.`,
    remedy: 'Upgrade it with pg_upgrade, or name another server.',
  })
})

test('a server that may lose acknowledged commits is refused', () => {
  expect(unfitness({ version: 180_004, commit: 'off' })!.message).toMatch(
    /^synchronous_commit is off: .* Turn it on in the database\.$/,
  )
})
