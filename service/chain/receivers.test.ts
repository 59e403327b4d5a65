import type { HexAddress, NodeClient } from '@ergon/tron'
import { expect, test } from 'vitest'
import { until } from '../../proof/testing/until.ts'
import { createReceivers } from './receivers.ts'

const ADDRESS = '41'.padEnd(42, 'a') as HexAddress

/** A node that answers when the test says so, after the caller's timeout. */
function slowNode(account: { isContract: boolean } | undefined) {
  const answers: (() => void)[] = []
  const getAccount = () =>
    new Promise((resolve) => {
      answers.push(() => resolve(account))
    })
  const getSolidAccount = async () => account
  const answer = () => {
    for (const one of answers.splice(0)) one()
  }
  return {
    node: { getSolidAccount, getAccount } as unknown as NodeClient,
    answer,
    asked: () => answers.length,
  }
}

test.each([
  ['able', { isContract: false }],
  ['contract', { isContract: true }],
])('an answer that came too late is known to the next who asks: %s', async (state, account) => {
  const slow = slowNode(account)
  const receivers = createReceivers(slow.node)
  expect(await receivers.stateOf(ADDRESS)).toBe('unknown')
  slow.answer()
  await until('the answer', async () => (await receivers.stateOf(ADDRESS)) === state)
  expect(slow.asked()).toBe(0)
})

test('an address that is not activated yet is read again', async () => {
  const slow = slowNode(undefined)
  const receivers = createReceivers(slow.node)
  const first = receivers.stateOf(ADDRESS)
  slow.answer()
  expect(await first).toBe('not_activated')
  const second = receivers.stateOf(ADDRESS)
  expect(slow.asked()).toBe(1)
  slow.answer()
  expect(await second).toBe('not_activated')
})

test('what only the head of the node shows may be pending: it is asked for again, and no fact', async () => {
  let solid: { isContract: boolean } | undefined
  const seen = { isContract: false }
  const node = { getSolidAccount: async () => solid, getAccount: async () => seen }
  const receivers = createReceivers(node as unknown as NodeClient)
  expect([await receivers.stateOf(ADDRESS), receivers.isSolid(ADDRESS)]).toEqual(['able', false])
  seen.isContract = true
  expect(await receivers.stateOf(ADDRESS)).toBe('unknown')
  solid = { isContract: true }
  expect([await receivers.stateOf(ADDRESS), receivers.isSolid(ADDRESS)]).toEqual(['contract', true])
})
