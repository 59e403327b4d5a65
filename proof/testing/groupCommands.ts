import { expect } from 'vitest'
import type { TestAccount } from './app.ts'
import type { runningErgon } from './runningErgon.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both'> & { client: TestAccount }

/** Groups of clients by commands: made once, moved into and out of. */
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
}
