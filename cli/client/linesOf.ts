import { readFileSync } from 'node:fs'
import { Unusable } from './unusable.ts'

const STANDARD_INPUT = 0

/** Without empty lines and those that begin with #; `line` is the number in the file; - is standard input. */
export function linesOf(file: string): { line: number; text: string }[] {
  let content: string
  try {
    content = readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
  } catch (error) {
    throw new Unusable(`${file} cannot be read: ${(error as Error).message}`)
  }
  return content
    .split('\n')
    .map((text, nth) => ({ line: nth + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
}
