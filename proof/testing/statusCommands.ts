import { expect } from 'vitest'
import type { runningErgon } from './runningErgon.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both'>

/** What clients are told, by commands: written, changed, ended and taken back. */
export async function tellClients({ ergon, both }: Given): Promise<void> {
  const none = await ergon(['announcements'])
  expect([none.code, none.out]).toEqual([0, 'Nothing was announced yet.\n'])
  const write = (...rest: string[]) => ergon(['announcements', 'write', ...rest, ...BY, '--json'])
  const plan = await write('--title', 'A new plan', '--message', 'From Monday.', '--places', 'pay')
  expect([plan.code, plan.err]).toEqual([0, ''])
  expect((await write('--title', ' ')).err).toBe('The title has 1 to 120 characters.\n')
  expect((await write('--title', 'x', '--kind', 'news')).code).toBe(2)
  expect((await write('--title', 'x', '--from', 'tomorrow')).code).toBe(1)
  const edit = ['announcements', 'edit', plan.json.id]
  const link = await ergon([
    ...edit,
    '--link',
    'https://example.com',
    '--severity',
    'warning',
    ...BY,
  ])
  expect([link.code, link.out]).toEqual([0, 'It is changed.\n'])
  const [text, json] = await both('announcements', 'list')
  expect(text.out).toMatch(/current {4}announcement \(warning\) .* on pay\n {4}A new plan\n$/)
  expect(json.json).toMatchObject([{ link: 'https://example.com', text: 'From Monday.' }])
  expect((await ergon([...edit, '--link', 'none', ...BY])).code).toBe(0)
  const ended = await ergon(['announcements', 'end', plan.json.id, ...BY])
  expect([ended.code, ended.out]).toEqual([0, 'It has ended.\n'])
  const soon = new Date(Date.now() + 40 * 86_400_000)
  const until = new Date(soon.getTime() + 3_600_000).toISOString()
  const times = ['--from', soon.toISOString(), '--until', until]
  const window = ['--kind', 'maintenance', '--title', 'Moving', ...times, '--touches', 'api,chain']
  const planned = await write(...window)
  expect([planned.code, planned.err]).toEqual([0, ''])
  expect((await write(...window)).err).toContain('the same component at that time: "Moving"')
  const early = await ergon(['announcements', 'end', planned.json.id, ...BY])
  expect([early.code, early.err]).toEqual([1, 'It has not begun: withdraw it.\n'])
  const gone = await ergon(['announcements', 'withdraw', planned.json.id, ...BY])
  expect([gone.code, gone.out]).toEqual([0, 'It is shown nowhere any more.\n'])
  expect((await ergon(['announcements', 'withdraw', planned.json.id, ...BY])).code).toBe(1)
  await openIncident({ ergon, both })
}

async function openIncident({ ergon, both }: Given): Promise<void> {
  const open = [
    'incidents',
    'open',
    '--title',
    'Wallets',
    '--message',
    'We look.',
    '--touches',
    'api',
  ]
  expect((await ergon([...open, ...BY])).code).toBe(2)
  const opened = await ergon([...open, '--impact', 'degraded', ...BY, '--json'])
  expect([opened.code, opened.err]).toEqual([0, ''])
  const { id } = opened.json
  const said = ['--phase', 'resolved', '--message', 'It works again.']
  const ended = await ergon(['incidents', 'update', id, ...said, ...BY])
  expect([ended.code, ended.out]).toEqual([0, 'Clients read it on the status page.\n'])
  const [text, json] = await both('incidents')
  expect(text.out).toContain('Wallets\n    resolved: It works again.')
  expect(json.json.find((one: { id: string }) => one.id === id)).toMatchObject({ cause: null })
  const gone = await ergon(['incidents', 'withdraw', id, ...BY])
  expect([gone.code, gone.out]).toEqual([0, 'It is shown nowhere any more.\n'])
  expect((await ergon(['incidents', 'withdraw', id, ...BY])).code).toBe(1)
}
