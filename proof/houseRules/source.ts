import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** One file of the repository, in three readings that all keep their lines and columns. */
export type Source = {
  path: string
  text: string
  /** Without comments. */
  code: string
  /** Without comments and without what stands inside quotes. */
  bare: string
}

export type Violation = { path: string; line: number; sentence: string }
export type Rule = { name: string; check(tree: readonly Source[]): Violation[] }

const BYTES_MAX = 1024 * 1024

/** Every file that is committed or would be: what git ignores is nobody's business. */
export function readTree(root: string): Source[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root })
  return listed
    .toString()
    .split('\0')
    .filter((path) => path && existsSync(join(root, path)))
    .filter((path) => statSync(join(root, path)).size <= BYTES_MAX)
    .map((path) => sourceOf(path, readFileSync(join(root, path), 'utf8')))
}

export function sourceOf(path: string, text: string): Source {
  if (/\.sql$/.test(path)) {
    const code = text.replaceAll(/--.*/g, blank)
    return { path, text, code, bare: code.replaceAll(/'[^']*'/g, blank) }
  }
  return /\.(ts|mjs|js)$/.test(path)
    ? { path, text, ...readings(text) }
    : { path, text, code: text, bare: text }
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** One violation per match of the pattern. */
export function violations(
  source: Source,
  reading: 'text' | 'code' | 'bare',
  pattern: RegExp,
  sentence: string | ((match: RegExpExecArray) => string | undefined),
): Violation[] {
  const found = [...source[reading].matchAll(pattern)] as RegExpExecArray[]
  return found.flatMap((match) => {
    const words = typeof sentence === 'string' ? sentence : sentence(match)
    const line = lineAt(source[reading], match.index)
    return words === undefined ? [] : [{ path: source.path, line, sentence: words }]
  })
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

const REGEX_BEFORE = /(?:^|[(,=:[!&|?{};\n>]|\breturn|\bof|\bin)\s*$/

/** A small scanner for comments, strings, templates and regular expressions. */
function readings(text: string): { code: string; bare: string } {
  let code = ''
  let bare = ''
  let at = 0
  const depths: number[] = []
  const keep = (length: number) => {
    const piece = text.slice(at, at + length)
    code += piece
    bare += piece
    at += length
  }
  const hide = (length: number, from: 'both' | 'bare') => {
    const piece = text.slice(at, at + length)
    code += from === 'both' ? blank(piece) : piece
    bare += blank(piece)
    at += length
  }
  const template = () => {
    const body = /^(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/.exec(text.slice(at))![0]
    hide(body.length, 'bare')
    if (text[at] === '`') return keep(1)
    depths.push(0)
    keep(2)
  }
  while (at < text.length) {
    const rest = text.slice(at, at + 4_000)
    const comment = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(rest)
    const string = /^(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/.exec(rest)
    const regex = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/.exec(rest)
    if (comment) hide(comment[0].length, 'both')
    else if (string) {
      keep(1)
      hide(string[0].length - 2, 'bare')
      keep(1)
    } else if (regex && REGEX_BEFORE.test(code.slice(-40))) hide(regex[0].length, 'bare')
    else if (text[at] === '`') {
      keep(1)
      template()
    } else if (text[at] === '{' && depths.length > 0) {
      depths[depths.length - 1]! += 1
      keep(1)
    } else if (text[at] === '}' && depths.at(-1) === 0) {
      depths.pop()
      keep(1)
      template()
    } else {
      if (text[at] === '}' && depths.length > 0) depths[depths.length - 1]! -= 1
      keep(1)
    }
  }
  return { code, bare }
}
