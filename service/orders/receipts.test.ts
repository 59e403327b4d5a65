import type { NodeClient } from '@ergon/tron'
import { expect, test } from 'vitest'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { createReceipts } from './receipts.ts'

const BLOCK = 100
const txid = (digit: number) => String(digit).repeat(64)

/** A node that answers when the test says so; each id has a receipt in the block, unless it is unknown. */
function open({ solidNumber = BLOCK, isKnown = true } = {}) {
  const runtime = testRuntime()
  const asked: string[] = []
  const answers: (() => void)[] = []
  const receipt = { energyUsageTotal: 65_000n, originEnergyUsage: 0n, result: 'SUCCESS' }
  const getTransactionInfoById = (id: string) => {
    asked.push(id)
    const { promise, resolve } = Promise.withResolvers<unknown>()
    answers.push(() => resolve(isKnown ? { id, blockNumber: BLOCK, receipt } : undefined))
    return promise
  }
  const progress = async () => {
    const at = runtime.clock.now()
    return { number: BLOCK, id: '', time: at, solidNumber, solidTime: at }
  }
  const node = { getTransactionInfoById } as unknown as NodeClient
  const receiptOf = createReceipts({ chain: { node, progress }, clock: runtime.clock })
  /** Answers all that is asked for, until the call ends. */
  async function answered(call: ReturnType<typeof receiptOf>) {
    let isOver = false
    const ended = Promise.resolve(call).finally(() => {
      isOver = true
    })
    while (!isOver) {
      for (const answer of answers.splice(0)) answer()
      await Promise.resolve()
    }
    return ended
  }
  return { runtime, asked, receiptOf, answered }
}

test('callers with the same id share a question, and a solid receipt is remembered for an hour', async () => {
  const { runtime, asked, receiptOf, answered } = open()
  const [first, second] = [receiptOf(txid(1)), receiptOf(txid(1))]
  const found = await answered(first)
  expect(found).toMatchObject({ energyNeeded: 65_000n, info: { id: txid(1) } })
  expect(await second).toBe(found)
  runtime.pass(3_599_000)
  expect(await receiptOf(txid(1))).toBe(found)
  expect(asked).toEqual([txid(1)])
  runtime.pass(1_000)
  await answered(receiptOf(txid(1)))
  expect(asked).toEqual([txid(1), txid(1)])
})

test.each([
  ['an unknown id', { isKnown: false }],
  ['a receipt that is not solid', { solidNumber: BLOCK - 1 }],
])('%s is remembered for three seconds', async (_, state) => {
  const { runtime, asked, receiptOf, answered } = open(state)
  const found = await answered(receiptOf(txid(1)))
  runtime.pass(2_999)
  expect(await receiptOf(txid(1))).toBe(found)
  expect(asked).toHaveLength(1)
  runtime.pass(1)
  await answered(receiptOf(txid(1)))
  expect(asked).toHaveLength(2)
})

test('the node is asked for at most four at once', async () => {
  const { receiptOf, answered } = open()
  const calls = [1, 2, 3, 4].map((digit) => receiptOf(txid(digit)))
  expect([receiptOf(txid(5)), receiptOf(txid(4))]).toEqual(['busy', expect.any(Promise)])
  for (const call of calls) await answered(call)
  expect(receiptOf(txid(5))).toBeInstanceOf(Promise)
})
