import { readFileSync } from 'node:fs'

/** A block of commands in a page, and the output that the page shows for them. */
export type Documented = { commands: string; output: string | undefined }

/**
 * A requirement of a command that tests do not have: in the first line of a block, or in brackets
 * right after a command. Every other command is run.
 */
export const NEEDS = /^# (?:needs|on) .+/

/** The `sh` blocks of a page that can be run, each with the `text` block right after it. */
export function documentedIn(path: string): Documented[] {
  const text = readFileSync(path, 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm)]
  return blocks
    .map(([, commands = '', output]) => ({ commands, output }))
    .filter(({ commands }) => !NEEDS.test(commands))
}

/** Every fenced block of a page, with its kind. */
export function blocksIn(text: string): { kind: string; body: string }[] {
  const blocks = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, kind = '', body = '']) => ({ kind, body }))
}

/** Inline code in a sentence or table; in a table `|` is written `\|`. */
export type Inline = { code: string; needs: string | undefined }

export function inlineWithNeeds(text: string): Inline[] {
  const prose = text.replaceAll(/^```.*\n[\s\S]*?^```$/gm, '')
  const found = [...prose.matchAll(/`([^`\n]+)`(?:\s\(needs ([^)]+)\))?/g)]
  return found.map(([, code, needs]) => ({ code: code!.replaceAll('\\|', '|'), needs }))
}

export const inlineIn = (text: string) => inlineWithNeeds(text).map(({ code }) => code)

/** The first column of a page's table of commands, which omits `npx ergon`. */
export function tableOfCommands(text: string): Inline[] {
  const [, table = ''] = text.split(/^\| Command \|.*\n\|[-|]+\n/m)
  const rows = table.split(/\n(?!\|)/)[0]!.split('\n')
  return inlineWithNeeds(rows.map((row) => row.split(/(?<!\\)\|/)[1] ?? '').join('\n'))
}

/** Whether the output matches the page's; … stands for any text, also several lines. */
export function matches(printed: string, shown: string): boolean {
  const pieces = shown.trimEnd().split('…')
  const pattern = pieces.map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('[\\s\\S]*?')}\\n?$`).test(printed)
}
