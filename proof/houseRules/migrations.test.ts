import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectSchema } from '../../service/db/index.ts'
import { changedSince, listed, withNew } from './migrations.ts'

/**
 * Migrations with the hash of what they run, one a line. A database that has applied one refuses to start when it is
 * changed, and this list says so before it lands. A run outside CI adds what is new: commit it with the migration.
 */
const LIST = join(import.meta.dirname, 'migrations.txt')
const isCi = process.env.CI === 'true'

test('no migration that has landed was changed or removed', () => {
  const { migrations } = collectSchema()
  const landed = listed(existsSync(LIST) ? readFileSync(LIST, 'utf8') : '')
  expect(changedSince(landed, migrations)).toEqual([])
  if (!isCi) writeFileSync(LIST, withNew(landed, migrations))
})

const ours = { room: 'ledger', name: '20261115T0130-ledger', sql: '', hash: 'aa' }

test('a changed and a removed migration are named, with what to do; a new one is added in its place', () => {
  const landed = listed('aa ledger/20261115T0130-ledger\n')
  expect(changedSince(landed, [ours])).toEqual([])
  expect(changedSince(landed, [{ ...ours, hash: 'bb' }])).toEqual([
    'ledger/20261115T0130-ledger was changed after it had landed: put it back as it was, and add a new migration',
  ])
  expect(changedSince(landed, [])).toEqual([
    'ledger/20261115T0130-ledger was removed after it had landed: put it back as it was',
  ])
  const next = { ...ours, room: 'chain', name: '20261120T0000-next', hash: 'cc' }
  expect(withNew(landed, [next, ours])).toBe(
    'cc chain/20261120T0000-next\naa ledger/20261115T0130-ledger\n',
  )
})
