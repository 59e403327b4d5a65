import { expect, test } from 'vitest'
import { type BudgetMark, judgeBudgets, periodsOf } from './budget.ts'

const at = new Date('2030-12-31T23:59:59.999Z')
const newYear = new Date('2031-01-01T00:00:00.000Z')
const price = 2n
const judge = (
  { daily = null, monthly = null }: { daily?: bigint | null; monthly?: bigint | null },
  spent: { daily: bigint; monthly: bigint },
  moment = at,
) => judgeBudgets({ dailyBudget: daily, monthlyBudget: monthly }, { at: moment, price, spent })
const kinds = (marks: BudgetMark[]) => marks.map(({ budget, kind }) => [budget, kind])

test('a day and a month are of UTC, and end with the first moment of the next', () => {
  expect(periodsOf(at)).toEqual({
    daily: { from: new Date('2030-12-31T00:00:00.000Z'), to: newYear },
    monthly: { from: new Date('2030-12-01T00:00:00.000Z'), to: newYear },
  })
  expect(periodsOf(newYear).daily.from).toEqual(newYear)
  expect(periodsOf(newYear).monthly.to).toEqual(new Date('2031-02-01T00:00:00.000Z'))
})

test('without a budget nothing is judged', () => {
  expect(judge({}, { daily: 99n, monthly: 99n })).toEqual({ marks: [], until: null })
})

test('a budget is used up when its whole amount is spent, not one SUN before', () => {
  expect(judge({ daily: 100n }, { daily: 99n, monthly: 99n }).until).toBeNull()
  expect(judge({ daily: 100n }, { daily: 100n, monthly: 100n }).until).toEqual(newYear)
  expect(judge({ daily: 100n }, { daily: 101n, monthly: 101n }).until).toEqual(newYear)
})

test('80 % and the whole are marked by the call that crosses them, and by no other', () => {
  const marksAt = (daily: bigint) => kinds(judge({ daily: 100n }, { daily, monthly: 0n }).marks)
  expect(marksAt(79n)).toEqual([])
  expect(marksAt(80n)).toEqual([['daily', 'near']])
  expect(marksAt(81n)).toEqual([['daily', 'near']])
  expect(marksAt(82n)).toEqual([])
  expect(marksAt(100n)).toEqual([['daily', 'reached']])
  expect(marksAt(102n)).toEqual([])
})

test('a call that crosses both marks of a small budget tells only that it is used up', () => {
  const { marks } = judge({ daily: 1n }, { daily: 2n, monthly: 2n })
  expect(marks).toEqual([
    { kind: 'reached', budget: 'daily', limit: 1n, spent: 2n, endsAt: newYear },
  ])
})

test('of two budgets that are used up the longer period rules', () => {
  const noon = new Date('2030-12-05T12:00:00Z')
  const { marks, until } = judge({ daily: 2n, monthly: 10n }, { daily: 2n, monthly: 10n }, noon)
  expect(kinds(marks)).toEqual([
    ['daily', 'reached'],
    ['monthly', 'reached'],
  ])
  expect(until).toEqual(newYear)
})
