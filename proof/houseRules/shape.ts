import { type Rule, type Source, type Violation, violations } from './source.ts'

const LINES_MAX = 400
const COLUMNS_MAX = 100

const isCode = ({ path }: Source) => /\.(ts|mjs|sql|css)$/.test(path)
const isTestFile = ({ path }: Source) => /\.(test|story)\.ts$/.test(path)

export const fileLength: Rule = {
  name: `a file has at most ${LINES_MAX} lines`,
  check: (tree) =>
    tree.filter(isCode).flatMap(({ path, text }) => {
      const lines = text.split('\n').length - 1
      const sentence = `${lines} lines; split it by what it does, ${LINES_MAX} are the most`
      return lines > LINES_MAX ? [{ path, line: LINES_MAX + 1, sentence }] : []
    }),
}

/** As the formatter sees it: comments and what stands in quotes cannot be broken for it. */
export const lineWidth: Rule = {
  name: `a line of code has at most ${COLUMNS_MAX} columns`,
  check: (tree) =>
    tree.filter(({ path }) => /\.(ts|mjs)$/.test(path)).flatMap((source) => tooWide(source)),
}

function tooWide({ path, text, bare }: Source): Violation[] {
  const written = text.split('\n')
  return bare.split('\n').flatMap((line, index) => {
    // A template is as wide as what it writes.
    if (/`|\$\{/.test(written[index]!)) return []
    const width = line.replaceAll(/\s{2,}/g, '').length
    const sentence = `${width} columns of code; run npm run format`
    return width > COLUMNS_MAX ? [{ path, line: index + 1, sentence }] : []
  })
}

// Written in two halves, or this file would be the first to break the rule.
const LEFTOVER = new RegExp(`\\b(TO${'DO'}|FIX${'ME'}|XX${'X'})\\b`, 'g')

export const leftovers: Rule = {
  name: 'nothing is left over',
  check: (tree) => [
    ...tree
      .filter(isCode)
      .flatMap((source) =>
        violations(
          source,
          'text',
          LEFTOVER,
          ([word]) => `${word}: do it, or write an issue and take this out`,
        ),
      ),
    ...tree
      .filter(({ path }) => path.endsWith('.ts'))
      .flatMap((source) => [
        ...violations(source, 'bare', /\b(?:test|it|describe)\.(only|skip|todo)\b/g, ([, word]) =>
          word === 'only'
            ? '.only hides every other test; take it out'
            : `.${word}: repair or delete it`,
        ),
        ...violations(source, 'bare', /\bdebugger\b/g, 'debugger: take it out'),
      ]),
  ],
}

export const noSleeping: Rule = {
  name: 'a test waits on a condition, never on time',
  check: (tree) =>
    tree
      .filter(isTestFile)
      .flatMap((source) => [
        ...violations(
          source,
          'bare',
          /(?<!\.)\b(?:setTimeout|setInterval|sleep|pause|delay)\s*\(|\bAtomics\.wait\b/g,
          ([word]) =>
            `${word.replace(/\s*\($/, '')}: tests do not sleep, use until() or move the clock`,
        ),
        ...violations(
          source,
          'code',
          /from 'node:timers\/promises'/g,
          'tests do not sleep, use until() of proof/testing',
        ),
      ]),
}

export const stretchedLimits: Rule = {
  name: 'a time limit of a test stretches with the machine',
  check: (tree) =>
    tree
      .filter((source) => isTestFile(source) || source.path.startsWith('proof/testing/'))
      .flatMap((source) =>
        violations(
          source,
          'bare',
          /^ *\}, [\d_]+\)$|\b(?:timeout|testTimeout|hookTimeout): [\d_]+|\bsetDefaultTimeout\(\d/gm,
          'a slow machine would fail here; write stretched(…), or leave the limit out',
        ),
      ),
}
