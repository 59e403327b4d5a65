import { expect } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { FIRST } from './approvals.ts'
import type { runningErgon } from './runningErgon.ts'

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both'>

const BY = ['--by', 'ann', '--why', 'a test']

/** Each act with a stake says its numbers, and is asked for, refused or stopped. */
export async function moveStakes({ ergon, both }: Given) {
  const [none] = await both('stakes', 'operations')
  expect([none.code, none.out]).toEqual([0, 'There are no operations with stakes.\n'])
  const preview = await ergon(['stakes', 'preview', 'freeze', '--trx', '1000'])
  expect([preview.code, preview.out]).toEqual([0, expect.stringContaining('1,000')])
  const freeze = await ergon(['stakes', 'freeze', '--trx', '1000', ...BY])
  expect(freeze.code).toBe(0)
  const id = freeze.out.trim()
  const [list, json] = await both('stakes', 'operations')
  expect([list.code, list.out]).toEqual([0, expect.stringContaining(`${id}  requested`)])
  expect(json.json).toMatchObject([{ id, action: 'freeze', shown: 'requested' }])
  const text = await ergon(['stakes', 'text', id])
  expect(`${text.out}${text.err}`).toMatch(/freeze|no signer/)
  const forged = [
    '--signed',
    `${FIRST.key}:${'00'.repeat(64)}`,
    '--ends',
    '2026-12-01T00:00:00.000Z',
  ]
  const approve = await ergon(['stakes', 'approve', id, ...forged, ...BY])
  expect([approve.code, approve.out]).toEqual([1, ''])
  const stop = await ergon(['stakes', 'stop', id, ...BY])
  expect(stop.code).toBe(0)
  const unfreeze = await ergon(['stakes', 'unfreeze', '--trx', '1000', ...BY])
  expect([unfreeze.code, unfreeze.err]).toEqual([0, expect.stringMatching(/Energy/)])
  expect((await ergon(['stakes', 'stop', unfreeze.out.trim(), ...BY])).code).toBe(0)
  // What the chain would not take is refused with a sentence.
  for (const words of [
    ['unfreeze', '--trx', '1000000000'],
    ['withdraw'],
    ['cancel'],
    ['vote', '--for', `${SANDBOX_HOT_ADDRESS}=2,${SANDBOX_HOT_ADDRESS}=1`],
    ['claim'],
  ]) {
    const { code, out, err } = await ergon(['stakes', ...words, ...BY])
    expect([words, code, out]).toEqual([words, 1, ''])
    expect(err).toMatch(/\.\n$/)
  }
}

/** Nothing is on before a person has said so; what cannot be is refused with a sentence. */
export async function setTreasury({ ergon, both }: Given) {
  const [wallet, json] = await both('hot-wallet')
  expect([wallet.code, json.json.set]).toEqual([0, undefined])
  const bounds = ['--floor', '20000', '--ceiling', '60000']
  const set = await ergon(['hot-wallet', 'set', ...bounds, '--cold', SANDBOX_HOT_ADDRESS, ...BY])
  expect([set.code, set.out]).toEqual([1, ''])
  expect(set.err).toMatch(/\.\n$/)
  const on = await ergon(['hot-wallet', 'on', ...BY])
  expect([on.code, on.out]).toEqual([1, ''])
  const [floats] = await both('floats')
  expect([floats.code, floats.out]).toEqual([0, 'No marketplace is connected.\n'])
  const limits = ['--floor', '500', '--ceiling', '2000', '--daily', '4000']
  const address = ['--address', SANDBOX_HOT_ADDRESS]
  const float = await ergon(['floats', 'set', 'catfee', ...address, ...limits, ...BY])
  expect([float.code, float.out]).toEqual([1, ''])
  expect((await ergon(['floats', 'on', 'catfee', ...BY])).code).toBe(1)
  const nobody = '01900000-0000-7000-8000-000000000000'
  const decide = await ergon(['floats', 'decide', nobody, '--as', 'wait', ...BY])
  expect([decide.code, decide.err]).toEqual([1, 'There is no transfer with this id.\n'])
  const wrong = [['set'], ['decide', nobody, '--as', 'no'], ['shut']]
  for (const words of wrong) expect((await ergon(['floats', ...words, ...BY])).code).toBe(2)
}
