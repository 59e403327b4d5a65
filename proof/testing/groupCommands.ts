import { expect } from 'vitest'
import type { TestAccount } from './app.ts'
import type { runningErgon } from './runningErgon.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both'> & { client: TestAccount }

/** What operators decide about a client, by commands: group, block, limits, notes, commission. */
export async function moveAccounts({ ergon, both, client }: Given): Promise<void> {
  const made = await ergon(['groups', 'create', 'shops', ...BY])
  expect([made.code, made.out]).toEqual([0, 'The group shops is made.\n'])
  expect((await ergon(['groups', 'create', 'shops', ...BY])).code).toBe(1)
  const move = (to: string) => ergon(['groups', 'move', client.account_id, '--to', to, ...BY])
  expect((await move('nowhere')).err).toBe('There is no group nowhere. Make it first.\n')
  expect(await move('shops')).toMatchObject({ code: 0, out: expect.stringContaining('in shops') })
  const [text, json] = await both('groups')
  expect(text.out).toMatch(/^shops +1 accounts$/m)
  expect(json.json).toMatchObject([{ name: 'shops', accounts: '1' }])
  expect(await move('none')).toMatchObject({ code: 0, out: expect.not.stringContaining('shops') })
  await decideOn({ ergon, both, client })
  await readInvoices({ ergon, both, client })
}

async function decideOn({ ergon, both, client: { account_id: id } }: Given): Promise<void> {
  const blocked = await ergon(['accounts', 'block', id, '--reason', 'We need a document', ...BY])
  expect(blocked).toMatchObject({ code: 0, out: expect.stringContaining('BLOCKED: We need a') })
  expect((await ergon(['accounts', 'block', id, ...BY])).code).toBe(2)
  const free = await ergon(['accounts', 'unblock', id, ...BY])
  expect(free).toMatchObject({ code: 0, out: expect.not.stringContaining('BLOCKED') })
  expect((await ergon(['accounts', 'unblock', id, ...BY])).code).toBe(1)
  const limited = await ergon([
    'accounts',
    'limits',
    id,
    '--requests',
    '5000',
    '--credit',
    '0',
    '--order',
    '99000',
    ...BY,
  ])
  expect(limited.out).toMatch(
    /^Limits of its own: .*0 TRX of unverified credit, 99000 Energy in an order\.$/m,
  )
  expect((await ergon(['accounts', 'limits', id, '--requests', '0', ...BY])).code).toBe(2)
  const back = await ergon(['accounts', 'limits', id, ...BY])
  expect(back).toMatchObject({ code: 0, out: 'Limits as for everybody.\n' })
  const note = await ergon(['accounts', 'note', id, '--note', 'pays late', '--by', 'ann'])
  expect([note.code, note.out]).toEqual([0, 'The note is written.\n'])
  expect((await ergon(['accounts', 'notes', id])).out).toMatch(/ann: pays late$/m)
  const set = await ergon(['referral', 'set', '--bps', '150', ...BY])
  expect([set.code, set.out]).toEqual([0, expect.stringContaining('1.5 %')])
  expect((await ergon(['referral', 'set', '--bps', '5001', ...BY])).code).toBe(2)
  await ergon(['referral', 'set', '--bps', '0', ...BY])
  const [text, json] = await both('referral')
  expect([text.out, json.json]).toEqual([
    'Clients get nothing for whom they bring.\n',
    { basis_points: '0' },
  ])
}

/** Nothing is over here; proof/stories/invoices.story.ts issues some. */
async function readInvoices({ ergon, client: { account_id: id } }: Given): Promise<void> {
  const list = await ergon(['invoices', 'list', id])
  expect([list.code, list.out]).toEqual([
    0,
    expect.stringMatching(/^20\d\d-\d\d .* TRX {2}preview\n$/),
  ])
  const month = list.out.slice(0, 7)
  const shown = await ergon(['invoices', 'show', id, month])
  expect(shown.out).toMatch(/Closing balance: \d/)
  const page = await ergon(['invoices', 'show', id, month, '--html'])
  expect([page.code, page.out]).toEqual([0, expect.stringContaining('This is a preview')])
  const table = await ergon(['invoices', 'show', id, month, '--csv'])
  expect(table.out).toMatch(/^invoice,state,/)
  expect((await ergon(['invoices', 'show', id, '2020-01'])).code).toBe(1)
  expect((await ergon(['invoices', 'show', id, 'May'])).code).toBe(2)
  expect((await ergon(['invoices', 'issue'])).code).toBe(2)
  const issued = await ergon(['invoices', 'issue', ...BY])
  expect([issued.code, issued.out]).toEqual([0, '0 invoices issued, of 0 accounts.\n'])
  const one = await ergon(['invoices', 'issue', '--account', id, ...BY])
  expect(one.code).toBe(0)
}
