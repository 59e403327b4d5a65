import { refuse } from '@ergon/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readLine, reasonIn, saidBy } from '../options.ts'
import { EXIT } from './response.ts'
import { troubleOf } from './troubleOf.ts'
import { understood } from './understood.ts'

// Every command line that is not understood is told what is wrong with it, and does nothing.

let said: string[]
beforeEach(() => {
  said = []
  vi.spyOn(console, 'error').mockImplementation((text) => void said.push(String(text)))
})
afterEach(() => vi.restoreAllMocks())

const ran = vi.fn((args: string[]) => {
  saidBy(readLine(args))
  return EXIT.done
})
const named = vi.fn(async (by: string) =>
  by === 'eve'
    ? refuse('role_required', { message: 'The role of eve is viewer.' })
    : `${by}@b.example`,
)
const { switches } = understood({ switches: { summary: '', usage: '', run: ran } }, named)
const run = (...args: string[]) => switches!.run(['off', 'selling', ...args])

test.each([
  [['--why', 'a reason'], '--by is missing: say who you are.'],
  [['--by', 'ann'], '--why is missing: give a reason of at least 3 characters'],
  [['--by', 'ann', '--why', ' ab '], '--why is too short: give a reason of at least 3 characters'],
  [['--by', 'ann', '--why'], '--why needs a value.'],
  [['--by', '--why', 'a reason'], '--by needs a value.'],
  [['--because'], 'There is no option --because here.'],
  [['--because', 'a reason'], 'There is no option --because here.'],
  [['now', '--by', 'ann'], '"now" is one word too many.'],
])('%j is not understood', async (args, sentence) => {
  expect(await run(...args)).toBe(EXIT.notUnderstood)
  expect(said[0]).toMatch(new RegExp(`^${sentence}`))
  expect(said[0]).toContain('Usage: npx ergon switches')
})

test.each([[['--by', 'ann', '--why', 'a reason']], [['--by=ann', '--why=a = b', '--json']]])(
  '%j is understood',
  async (args) => {
    expect(await run(...args)).toBe(EXIT.done)
    expect(said).toEqual([])
  },
)

test('--by becomes the operator whom it names', async () => {
  await run('--by', 'ann', '--why', 'a reason')
  expect(named).toHaveBeenLastCalledWith('ann', 'administrator')
  expect(ran).toHaveBeenLastCalledWith([
    'off',
    'selling',
    '--by=ann@b.example',
    '--why',
    'a reason',
  ])
})

test('an operator whose role is too low runs nothing', async () => {
  ran.mockClear()
  expect(await run('--why', 'a reason', '--by=eve')).toBe(EXIT.refused)
  expect([said, ran.mock.calls]).toEqual([['The role of eve is viewer.'], []])
})

test('a reason that may be left out is still refused when it is too short', () => {
  expect(reasonIn(readLine([]), 'why', 'approved')).toBe('approved')
  expect(() => reasonIn(readLine(['--why', 'ok']), 'why', 'approved')).toThrow('too short')
})

test('neither the text of a database error nor that of a system call is shown', () => {
  const refused = Object.assign(new Error('duplicate key (id)=(canary)'), {
    severity: 'ERROR',
    code: '23505',
  })
  expect(troubleOf(refused)).toMatch(/^The database refused it \(code 23505\)\./)
  const missing = Object.assign(new Error('ENOENT: no such file or directory, open'), {
    code: 'ENOENT',
    path: '/a/file',
  })
  expect(troubleOf(missing)).toBe('/a/file cannot be read (ENOENT).')
})
