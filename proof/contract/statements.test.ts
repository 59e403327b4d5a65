// Proves: http.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'

// Every statement of the contract has a number and names tests that prove it. Here the numbers are without
// gaps and the tests exist; that a test proves its statement is for a reader to judge.

const root = join(import.meta.dirname, '../..')
const HEAD = /^\| No \| Statement \| Proof \|$|^\|[-|]+\|$/
const ROW = /^\| ([A-Z])(\d+) \| (\S.*?) \| (.*?) ?\|$/
const PROOF = /^`([^`]+)` "(.+)"$/
/** `npm test` leaves this one to `npm run prove`. */
const APART = 'proof/faults/chaos.test.ts'

type Node = { type: string; start: number; end: number; [key: string]: unknown }
/** The titles of a test file, or undefined where there is no such file. */
type TitlesOf = (file: string) => Set<string> | undefined

function faultsIn(text: string, letter: string, titlesOf: TitlesOf): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|') && !HEAD.test(line))
  if (lines.length === 0) return ['there are no statements']
  let last = 0
  return lines.flatMap((line) => {
    const [, given, number, , proofs = ''] = ROW.exec(line) ?? []
    if (given !== letter) return [`no row "| ${letter}… | statement | proof |": ${line}`]
    const name = `${letter}${number}`
    const order = Number(number) === last + 1 ? [] : [`${name} follows ${letter}${last}`]
    last = Number(number)
    return [...order, ...faultsOf(proofs, titlesOf).map((fault) => `${name}: ${fault}`)]
  })
}

function faultsOf(proofs: string, titlesOf: TitlesOf): string[] {
  return proofs.split(/; (?=`)/).flatMap((proof) => {
    const [, file, title] = PROOF.exec(proof) ?? []
    if (!file || !title) return [proof ? `no proof, but "${proof}"` : 'no proof']
    if (!/\.(test|story)\.ts$/.test(file) || file === APART) return [`npm test runs no ${file}`]
    const titles = titlesOf(file)
    if (!titles) return [`there is no ${file}`]
    return titles.has(title) ? [] : [`${file} has no test "${title}"`]
  })
}

/** First arguments of test(…), it(…) and test.each(…)(…), as they are written between their quotes. */
function titlesIn(source: string): Set<string> {
  const { program, errors } = parseSync('source.ts', source, { lang: 'ts' })
  if (errors.length > 0) throw new Error(errors[0]!.message)
  const titles = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    const [first] = node.type === 'CallExpression' ? (node.arguments as Node[]) : []
    if (first && isText(first) && TESTS.has(calledIn(node))) {
      titles.add(source.slice(first.start + 1, first.end - 1))
    }
    for (const part of Object.values(node)) walk(part)
  }
  walk(program)
  return titles
}

const TESTS = new Set(['test', 'it', 'test.each', 'it.each'])
const isText = ({ type, value }: Node) =>
  type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')

/** What is called: `test.each` in test.each(rows)(title). A test that is skipped proves nothing. */
function calledIn(node: Node): string {
  const { callee, tag, object, property } = node as Record<string, Node | undefined>
  if (object) return `${calledIn(object)}.${property!.name}`
  const inner = callee ?? tag
  return inner ? calledIn(inner) : String(node.name)
}

const known = new Map<string, Set<string>>()
const titlesOfFile: TitlesOf = (file) => {
  const path = join(root, file)
  if (!known.has(file) && existsSync(path)) known.set(file, titlesIn(readFileSync(path, 'utf8')))
  return known.get(file)
}

test.each([
  ['api', 'A'],
  ['decisions', 'D'],
])('every statement of %s.md is numbered and has its test', (page, letter) => {
  const text = readFileSync(join(import.meta.dirname, `statements/${page}.md`), 'utf8')
  expect(faultsIn(text, letter, titlesOfFile)).toEqual([])
})

test.each([
  ['nothing', [], ['there are no statements']],
  ['a row without proof', ['| A1 | x | |'], ['A1: no proof']],
  ['a proof that is yet to come', ['| A1 | x | PENDING |'], ['A1: no proof, but "PENDING"']],
  ['one of two missing', ['| A1 | x | `a.test.ts` "b"; MISSING: y |'], [/^A1: no proof, but/]],
  ['a gap', ['| A1 | x | `a.test.ts` "b" |', '| A3 | x | `a.test.ts` "b" |'], ['A3 follows A1']],
  ['a double', ['| A1 | x | `a.test.ts` "b" |', '| A1 | x | `a.test.ts` "b" |'], ['A1 follows A1']],
  ['no first', ['| A2 | x | `a.test.ts` "b" |'], ['A2 follows A0']],
  ['another letter', ['| D1 | x | `a.test.ts` "b" |'], [/^no row "\| A/]],
  ['an unknown title', ['| A1 | x | `a.test.ts` "c" |'], ['A1: a.test.ts has no test "c"']],
  ['an unknown file', ['| A1 | x | `b.story.ts` "b" |'], ['A1: there is no b.story.ts']],
  ['no test file', ['| A1 | x | `a.ts` "b" |'], ['A1: npm test runs no a.ts']],
  ['all in order', ['| A1 | x | `a.test.ts` "b"; `a.test.ts` "d; "e" |'], []],
])('the list reports %s', (_what, rows, faults) => {
  const page = ['# Page', '', '| No | Statement | Proof |', '|---|---|---|', ...rows].join('\n')
  const titlesOf: TitlesOf = (file) => (file === 'a.test.ts' ? new Set(['b', 'd; "e']) : undefined)
  const wanted = faults.map((fault) =>
    typeof fault === 'string' ? fault : expect.stringMatching(fault),
  )
  expect(faultsIn(page, 'A', titlesOf)).toEqual(wanted)
})

test('a title is the whole literal of a test, in any quotes', () => {
  const source = `// test('said', f)
    test('plain', f); it("quoted \\"x\\"", f); test.each([['no']])('%s of each', f)
    describe('group', () => { for (const x of y) test(\`\${x} runs\`, f) }); other('no test', f)
    test.skip('skipped', f); test.todo('yet to come')`
  expect([...titlesIn(source)]).toEqual(['plain', 'quoted \\"x\\"', '%s of each', `\${x} runs`])
})
