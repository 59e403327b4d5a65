import { parseSync } from 'rolldown/utils'
import type { Change, Kind } from './place.ts'
import { sqlChanges } from './sql.ts'

type Node = { type: string; start: number; end: number; [key: string]: unknown }
type Found = (kind: Kind, start: number, before: string, after: string) => void

/**
 * `<` and `<=` count as comparisons, `>` and `>=` as borders, so that both kinds reach every sort
 * of limit.
 */
const BINARY: Record<string, [Kind, string]> = {
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['border', '>='],
  '>=': ['border', '>'],
  '+': ['sign', '-'],
  '-': ['sign', '+'],
  '*': ['sign', '/'],
  '/': ['sign', '*'],
  '+=': ['sign', '-='],
  '-=': ['sign', '+='],
  '&&': ['order', '||'],
  '||': ['order', '&&'],
}
/** Expressions with a type; every other node that begins with TS is a type. */
const TYPED = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']
const TESTING = ['IfStatement', 'ConditionalExpression', 'WhileStatement']
const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']

/** The changes in a TypeScript file: of its code, and of the SQL in its statements. */
export function typescriptChanges(file: string, text: string): Change[] {
  const changes: Change[] = []
  const { program, errors } = parseSync('source.ts', text, { lang: 'ts' })
  if (errors.length > 0) throw new Error(errors[0]!.message)
  // In other files a template literal is text.
  const isStore = /(?:^|\/)(?:store|[\w-]+\.sql)\.ts$/.test(file)
  const users = usersIn(program as unknown as Node)
  for (const node of childrenOf(program as unknown as Node)) {
    const declared = node.type === 'VariableDeclaration' ? (node.declarations as Node[]) : []
    const used = declared.flatMap(({ id }) => users.get(String((id as Node).name)) ?? [])
    const from = changes.length
    walk(node, nameOf(program as unknown as Node, node), true)
    for (const change of changes.slice(from)) change.inFunctions ??= used
  }
  return changes

  function walk(node: Node, inFunction: string | undefined, isTop: boolean): void {
    if (isLeftAlone(node)) return
    if (isSql(node, isStore && isTop)) {
      sql(node)
      return
    }
    if (TESTING.includes(node.type)) negate(node.test as Node)
    if (isTuning(node)) return
    changesOf(node, text, (kind, start, before, after) =>
      changes.push({ kind, start, before, after, ...within(inFunction) }),
    )
    for (const child of childrenOf(node)) {
      if (child === node.test && isExtreme(node, text)) continue
      walk(child, nameOf(node, child) ?? inFunction, isDeclaring(node))
    }

    function negate({ start, end, type, operator }: Node): void {
      // Its `!` is removed by another change.
      if (type === 'UnaryExpression' && operator === '!') return
      const before = text.slice(start, end)
      changes.push({
        kind: 'negation',
        start,
        before,
        after: `!(${before})`,
        ...within(inFunction),
      })
    }
  }

  function sql(node: Node): void {
    const call = node.type === 'CallExpression'
    const [name, literal] = call ? (node.arguments as Node[]) : [undefined, node.init as Node]
    if (!literal || !['TemplateLiteral', 'Literal'].includes(literal.type)) return
    const found = sqlChanges(sqlIn(literal, text), { from: literal.start + 1 })
    const inStatement = name?.value as string | undefined
    changes.push(...found.map((change) => ({ ...change, inStatement })))
  }
}

const within = (name: string | undefined) => (name ? { inFunctions: [name] } : {})

const isDeclaring = ({ type }: Node) =>
  type === 'ExportNamedDeclaration' || type === 'VariableDeclaration'

/**
 * Imports, types, and calls whose arguments are texts for people. Assertions too: no input reaches
 * the difference of a weaker one.
 */
function isLeftAlone(node: Node): boolean {
  if (node.type.startsWith('TS')) return !TYPED.includes(node.type)
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true
  if (node.type !== 'CallExpression') return false
  const callee = node.callee as Node
  if (callee.name === 'assert') return true
  const owner = callee.object as Node | undefined
  const ownerName = owner?.name ?? (owner?.property as Node | undefined)?.name
  return ownerName === 'log' || ownerName === 'console'
}

/** Sizes of batches, and polling intervals. */
const PACE = /(^|_)BATCH$|(^|_)AT_ONCE(_|$)|(^|_)(LOOK|PAUSE|POLL)_MS$/

/**
 * Numbers that only tune work: a millisecond more of `everyMs: 5_000`, or one row more of `const
 * BATCH = 200`, makes no observable difference, and no promise names them.
 */
function isTuning(node: Node): boolean {
  const name = String(((node.key ?? node.id) as Node | undefined)?.name)
  const value = (node.value ?? node.init) as Node | undefined
  if (value?.type !== 'Literal') return false
  return PACE.test(name) || (/(Ms|_MS)(_MAX)?$/.test(name) && Number(value.value) >= 100)
}

/** A statement's text, or a piece of SQL that statements of a store share. */
function isSql(node: Node, isTop: boolean): boolean {
  if (node.type === 'CallExpression') return (node.callee as Node).name === 'statement'
  const isTemplate = (node.init as Node | undefined)?.type === 'TemplateLiteral'
  return isTop && node.type === 'VariableDeclarator' && isTemplate
}

/** The text between the quotes; each placeholder becomes a word of the same length. */
function sqlIn(literal: Node, text: string): string {
  let sql = text.slice(literal.start + 1, literal.end - 1)
  for (const { start, end } of (literal.expressions as Node[] | undefined) ?? []) {
    const from = text.lastIndexOf('${', start) - literal.start - 1
    const to = text.indexOf('}', end) - literal.start
    sql = sql.slice(0, from) + '_'.repeat(to - from) + sql.slice(to)
  }
  return sql
}

/** The name of a function, its own or of what it is assigned to, as V8 names it. */
function nameOf(parent: Node, child: Node): string | undefined {
  if (!FUNCTIONS.includes(child.type)) return undefined
  const named = (child.id ?? parent.key ?? parent.id ?? parent.left) as Node | undefined
  return typeof named?.name === 'string' ? named.name : undefined
}

function* childrenOf(node: Node): Generator<Node> {
  for (const [key, value] of Object.entries(node)) {
    // The name of a property is no value, unless it is computed.
    if (key === 'key' && !node.computed) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one && typeof one === 'object' && typeof one.type === 'string') yield one
    }
  }
}

function changesOf(node: Node, text: string, found: Found): void {
  const operator = node.operator as string | undefined
  if (node.left && operator && BINARY[operator] && !isOfWords(node)) {
    const [kind, after] = BINARY[operator]
    const start = operatorAt(node, operator, text)
    found(kind, start, operator, after)
  }
  if (node.type === 'UnaryExpression' && operator === '-') found('sign', node.start, '-', '')
  if (node.type === 'UnaryExpression' && operator === '!') found('negation', node.start, '!', '')
  if (node.type === 'Literal') literal(node, found)
  const expression = node.expression as Node | undefined
  if (node.type === 'ExpressionStatement' && expression?.type === 'AwaitExpression') {
    // The compiler refuses a missing await whose value is used, so only the others matter.
    if (isInTurn(expression.argument as Node)) return
    found('await', expression.start, 'await ', '')
  }
  const object = node.object as Node | undefined
  if (node.type === 'MemberExpression' && object?.name === 'Math') {
    const { name, start } = node.property as Node
    if (name === 'min') found('order', start, 'min', 'max')
    if (name === 'max') found('order', start, 'max', 'min')
  }
}

/**
 * `tx.query(…)`: a transaction has one connection, which runs statements in the order they were
 * sent, the commit last. Without the `await` a successful statement has the same effect.
 */
function isInTurn(awaited: Node): boolean {
  const owner = (awaited.callee as Node | undefined)?.object as Node | undefined
  return awaited.type === 'CallExpression' && owner?.name === 'tx'
}

function literal({ raw, value, start }: Node, found: Found): void {
  const before = String(raw)
  if (typeof value === 'boolean') found('boolean', start, before, String(!value))
  if (/^\d[\d_]*$/.test(before)) {
    found('border', start, before, String(BigInt(before.replaceAll('_', '')) + 1n))
  }
  if (/^\d[\d_]*n$/.test(before)) {
    found('border', start, before, `${BigInt(before.replaceAll(/[_n]/g, '')) + 1n}n`)
  }
}

/** `'a' + b` is no sum; a comparison with a string is still a comparison. */
function isOfWords({ left, right, operator }: Node): boolean {
  const isWord = (node: Node) => node.type === 'TemplateLiteral' || typeof node.value === 'string'
  return /^\+=?$/.test(String(operator)) && [left, right].some((side) => isWord(side as Node))
}

/** `a > b ? a : b` is a maximum: at equality both answers are the same. */
function isExtreme(node: Node, text: string): boolean {
  const { left, right, operator } = node.test as Node
  if (node.type !== 'ConditionalExpression' || !/^[<>]=?$/.test(String(operator))) return false
  const textOf = (side: unknown) => text.slice((side as Node).start, (side as Node).end)
  const answers = [node.consequent, node.alternate].map(textOf).sort()
  return [left, right].map(textOf).sort().join('\0') === answers.join('\0')
}

/**
 * The functions that use each name: they run a constant of the file, not every module that loads
 * it.
 */
function usersIn(program: Node): Map<string, string[]> {
  const users = new Map<string, string[]>()
  const look = (node: Node, inFunction: string | undefined): void => {
    if (node.type === 'Identifier' && inFunction) {
      const name = String(node.name)
      users.set(name, [...new Set([...(users.get(name) ?? []), inFunction])])
    }
    for (const child of childrenOf(node)) look(child, nameOf(node, child) ?? inFunction)
  }
  look(program, undefined)
  return users
}

/** The operator's place between the operands, after brackets and comments. */
function operatorAt({ left, right }: Node, operator: string, text: string): number {
  const from = (left as Node).end
  const between = text
    .slice(from, (right as Node).start)
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length))
  return from + between.indexOf(operator)
}
