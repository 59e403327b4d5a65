import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rules } from './houseRules/rules.ts'
import { readTree, type Violation } from './houseRules/source.ts'

const tree = readTree(join(import.meta.dirname, '..'))

function report(violations: Violation[]): string {
  return violations.map(({ path, line, sentence }) => `${path}:${line}  ${sentence}`).join('\n')
}

test.each(rules.map((rule) => [rule.name, rule] as const))('%s', (_name, { check }) => {
  expect(report(check(tree))).toBe('')
})

test('there is a tree to look at', () => {
  expect(tree.length).toBeGreaterThan(100)
})
