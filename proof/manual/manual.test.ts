import { expect, test } from 'vitest'
import {
  isInOrder,
  MACHINES,
  manualPages,
  orderOfSections,
  sectionsOf,
  shellBlocksOf,
} from './blocks.ts'

// Every shell block of the operating manual is run: here by readme.test.ts, in the sandbox; by
// `npm run prove -- --only manual`, where it names a machine; or its first line says what it needs.

const all = manualPages().flatMap(shellBlocksOf)
const placeOf = ({ page, line }: { page: string; line: number }) => `${page}:${line}`

test('the manual has blocks of all three kinds', () => {
  expect(all.filter(({ machine }) => machine).length).toBeGreaterThan(20)
  expect(all.filter(({ needs }) => needs).length).toBeGreaterThan(5)
  expect(all.filter(({ machine, needs }) => !machine && !needs).length).toBeGreaterThan(5)
})

test('a block that names a machine is in a section that the proof walks through', () => {
  const named = all.filter(({ machine }) => machine)
  expect(named.filter((block) => !isInOrder(block)).map(placeOf)).toEqual([])
  const machines: readonly string[] = MACHINES
  expect(named.filter(({ machine }) => !machines.includes(machine!)).map(placeOf)).toEqual([])
})

test('a block that is not run says why', () => {
  // A first line that only looks like a mark would be run as a comment in the sandbox.
  const marked = all.filter(({ commands }) => /^# (on|needs|run|skip)\b/i.test(commands))
  expect(marked.filter(({ machine, needs }) => !machine && !needs).map(placeOf)).toEqual([])
  const reasons = all.flatMap(({ needs }) => needs ?? [])
  expect(reasons.filter((reason) => reason.split(' ').length < 3)).toEqual([])
})

test('each section of the order is there, once', () => {
  const order = orderOfSections()
  expect(order.length).toBeGreaterThan(10)
  expect(order.filter(({ page, section }) => !sectionsOf(page).includes(section))).toEqual([])
  expect(new Set(order.map(({ page, section }) => page + section)).size).toBe(order.length)
})
