import type { Change, Kind } from './place.ts'
import { type Token, tokensOf } from './sqlTokens.ts'

type Options = { from?: number; inSqlFunction?: string }

/** Single tokens that are changed anywhere. */
const WORDS: Record<string, [Kind, string]> = {
  '<>': ['comparison', '='],
  '!=': ['comparison', '='],
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['border', '>='],
  '>=': ['border', '>'],
  asc: ['order', 'desc'],
  desc: ['order', 'asc'],
  true: ['boolean', 'false'],
  false: ['boolean', 'true'],
}
const CALLS: Record<string, string> = {
  min: 'max',
  max: 'min',
  least: 'greatest',
  greatest: 'least',
  bool_or: 'bool_and',
  bool_and: 'bool_or',
}
const SIGNS: Record<string, string> = { '+': '-', '-': '+', '*': '/', '/': '*' }
/** Tokens that end a condition, or a list of an `order by`, at its own depth. */
const ENDS = new Set(
  `group order returning limit for union window having on into then loop offset except intersect
   rows range nulls asc desc ; $$ from`.split(/\s+/),
)
/** After one of these, a sign belongs to a number and a star to a list of columns. */
const NO_VALUE = new Set(
  `select distinct all and or not in then else when case where by limit offset return returning values
   set on having like is between from using if elsif`.split(/\s+/),
)
const OPTIONS = new Set(['constraint', 'errcode', 'detail', 'hint', 'message'])

/** The changes in a text of SQL that starts at `from` of its file. */
export function sqlChanges(sql: string, { from = 0, inSqlFunction }: Options = {}): Change[] {
  const tokens = tokensOf(sql)
  const changes: Change[] = []
  const put = (kind: Kind, start: number, end: number, after: string) =>
    changes.push({
      kind,
      start: from + start,
      before: sql.slice(start, end),
      after,
      ...(inSqlFunction ? { inSqlFunction } : {}),
    })
  tokens.forEach((token, at) => {
    const change = tokenChange(tokens, at)
    if (change) put(change[0], token.start, token.end, change[1])
    if (token.is === 'where' && !isArbiter(tokens, at)) {
      for (const [start, end] of conditions(tokens, at)) {
        // `or true` instead of removing it: a parameter that nothing else uses would have no type.
        put('where', start, end, `(${sql.slice(start, end)} or true)`)
      }
    }
    const test = testedBy(tokens, at)
    if (test) put('negation', test[0], test[1], `not (${sql.slice(...test)})`)
    const last = orderedBy(tokens, at)
    if (last) put('order', last.start, last.end, `${last.text} desc`)
  })
  return changes
}

function tokenChange(tokens: Token[], at: number): [Kind, string] | undefined {
  const token = tokens[at]!
  const next = tokens[at + 1]
  const known = WORDS[token.is]
  if (known) return known
  if (token.is === '=') return isAssignment(tokens, at) ? undefined : ['comparison', '<>']
  if (token.kind === 'number') return numberChange(tokens, at)
  if (SIGNS[token.is]) return signChange(tokens, at)
  if (CALLS[token.is] && next?.is === '(') return ['order', CALLS[token.is]!]
  if (token.is === 'and') return isBetween(tokens, at) ? undefined : ['order', 'or']
  if (token.is === 'or') return tokens[at - 1]?.is === 'create' ? undefined : ['order', 'and']
  return negationOf(tokens, at)
}

function negationOf(tokens: Token[], at: number): [Kind, string] | undefined {
  const [before, token, next] = [tokens[at - 1]?.is, tokens[at]!.is, tokens[at + 1]?.is]
  if (token === 'is' && (next === 'null' || next === 'distinct')) return ['negation', 'is not']
  if (token === 'not' && ['null', 'distinct', 'materialized'].includes(next ?? '')) {
    return before === 'is' ? ['negation', ''] : undefined
  }
  if (token === 'not') return before === 'if' && next === 'exists' ? undefined : ['negation', '']
  if (token === 'exists' && before !== 'not' && next === '(') return ['negation', 'not exists']
  if (token === 'in' && before !== 'not' && next === '(') return ['negation', 'not in']
  return undefined
}

function numberChange(tokens: Token[], at: number): [Kind, string] | undefined {
  const { text } = tokens[at]!
  // `numeric(38, 0)`: the size of a type.
  const isSize = [2, 4].some((back) => /^(numeric|varchar|char)$/.test(tokens[at - back]?.is ?? ''))
  if (text.includes('.') || isSize) return undefined
  return ['border', String(BigInt(text.replaceAll('_', '')) + 1n)]
}

function signChange(tokens: Token[], at: number): [Kind, string] | undefined {
  const token = tokens[at]!
  const [before, next] = [tokens[at - 1], tokens[at + 1]]
  const hasLeft = before !== undefined && isValue(before, [')', ']'])
  const hasRight = next !== undefined && isValue(next, ['(', '-'])
  if (hasLeft && hasRight) return ['sign', SIGNS[token.is]!]
  return token.is === '-' && hasRight ? ['sign', ''] : undefined
}

function isValue({ kind, is }: Token, brackets: string[]): boolean {
  if (kind === 'mark') return brackets.includes(is)
  return kind !== 'word' || !(NO_VALUE.has(is) || ENDS.has(is))
}

/** `set a = 1, b = 2`, and `using constraint = 'name'`, unlike a condition. */
function isAssignment(tokens: Token[], at: number): boolean {
  const name = tokens[at - 1]
  const before = tokens[at - 2]?.is ?? ''
  if (OPTIONS.has(name?.is ?? '')) return true
  return name?.is === ')' ? isBehindSet(tokens, at) : ['set', ','].includes(before)
}

function isBehindSet(tokens: Token[], at: number): boolean {
  const open = tokens.findLastIndex(({ is }, index) => index < at && is === '(')
  return tokens[open - 1]?.is === 'set'
}

function isBetween(tokens: Token[], at: number): boolean {
  const { depth } = tokens[at]!
  const words = ['between', 'and', 'where', 'when', 'on']
  const before = tokens.findLast(
    (token, index) => index < at && token.depth === depth && words.includes(token.is),
  )
  return before?.is === 'between'
}

/** `on conflict (a) where b`: the condition of an index, which must equal the index's own. */
function isArbiter(tokens: Token[], at: number): boolean {
  if (tokens[at - 1]?.is !== ')') return false
  const open = tokens.findLastIndex(
    ({ is, depth }, index) => index < at && is === '(' && depth === tokens[at]!.depth,
  )
  return tokens[open - 1]?.is === 'conflict'
}

/** The first token after the clause that begins with a word. */
function endOf(tokens: Token[], at: number): number {
  const { depth } = tokens[at]!
  let cases = 0
  for (let index = at + 1; index < tokens.length; index += 1) {
    const token = tokens[index]!
    if (token.depth < depth) return index
    if (token.depth > depth) continue
    if (token.is === 'case') cases += 1
    else if (token.is === 'end' && cases > 0) cases -= 1
    else if (cases === 0 && isEnd(tokens, index)) return index
  }
  return tokens.length
}

function isEnd(tokens: Token[], index: number): boolean {
  const { is } = tokens[index]!
  if (is === 'from') return tokens[index - 1]?.is !== 'distinct'
  return ENDS.has(is) || is === 'end' || /^\$\w*\$$/.test(is)
}

/**
 * The conditions of a `where` that are joined by `and`; with an `or` beside them it is one
 * condition.
 */
function conditions(tokens: Token[], at: number): [number, number][] {
  const end = endOf(tokens, at)
  const { depth } = tokens[at]!
  const joints: number[] = [at]
  let cases = 0
  for (let index = at + 1; index < end; index += 1) {
    const token = tokens[index]!
    if (token.depth !== depth) continue
    if (token.is === 'case') cases += 1
    if (token.is === 'end') cases -= 1
    if (cases > 0) continue
    if (token.is === 'or') return span(tokens, at + 1, end)
    if (token.is === 'and' && !isBetween(tokens, index)) joints.push(index)
  }
  return joints.flatMap((joint, index) => span(tokens, joint + 1, joints[index + 1] ?? end))
}

function span(tokens: Token[], first: number, behind: number): [number, number][] {
  const [start, last] = [tokens[first], tokens[behind - 1]]
  return start && last && behind > first ? [[start.start, last.end]] : []
}

/** The condition of `if`, `elsif` and the `when` of a case without a subject. */
function testedBy(tokens: Token[], at: number): [number, number] | undefined {
  const { is } = tokens[at]!
  if (!(is === 'if' || is === 'elsif' || (is === 'when' && tokens[at - 1]?.is === 'case'))) {
    return undefined
  }
  // `end if`, and a condition whose `not` is removed by another change.
  if (tokens[at - 1]?.is === 'end' || tokens[at + 1]?.is === 'not') return undefined
  const end = endOf(tokens, at)
  return tokens[end]?.is === 'then' ? span(tokens, at + 1, end)[0] : undefined
}

/**
 * The end of the first expression of an `order by`, unless it has asc or desc. The order of locks
 * is not changed: reversed in one statement, it could only cause a deadlock.
 */
function orderedBy(tokens: Token[], at: number): Token | undefined {
  if (tokens[at]!.is !== 'by' || tokens[at - 1]?.is !== 'order') return undefined
  const { depth } = tokens[at]!
  const end = endOf(tokens, at)
  if (['asc', 'desc', 'for'].includes(tokens[end]?.is ?? '')) return undefined
  const comma = tokens.findIndex(
    (token, index) => index > at && index < end && token.is === ',' && token.depth === depth,
  )
  return tokens[(comma < 0 ? end : comma) - 1]
}

/** The functions of a file under `schema/`, each with the text of its body and where it starts. */
export function functionsIn(sql: string): { name: string; body: string; start: number }[] {
  const heads = [...sql.matchAll(/create or replace function\s+([\w.]+)/gi)]
  return heads.flatMap(({ 1: name, index }) => {
    const open = /\$(\w*)\$/g
    open.lastIndex = index
    const begun = open.exec(sql)
    if (!begun) return []
    const start = open.lastIndex
    const end = sql.indexOf(begun[0], start)
    return end < 0 ? [] : [{ name: name!.toLowerCase(), body: sql.slice(start, end), start }]
  })
}
