import { readFileSync } from 'node:fs'

/** A block of commands in a page, and what the page says that they print. */
export type Documented = { commands: string; output: string | undefined }

/** What the reader has to have, and a test has not. Such a block says so in its first line. */
const PUBLIC_NETWORK = /^# needs a public network$/m

/** The `sh` blocks of a page, each with the `text` block that follows it at once. */
export function documentedIn(path: string): Documented[] {
  const text = readFileSync(path, 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm)]
  return blocks
    .map(([, commands = '', output]) => ({ commands, output }))
    .filter(({ commands }) => !PUBLIC_NETWORK.test(commands))
}

/** Every fenced block of a page, with the word that says what it is. */
export function blocksIn(text: string): { kind: string; body: string }[] {
  const blocks = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, kind = '', body = '']) => ({ kind, body }))
}

/** What stands between backticks outside of blocks; a stroke in a table is written \|. */
export function inlineIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*\n[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!.replaceAll('\\|', '|'))
}

/** Whether something was printed as the page shows it; … stands for whatever it is, also for lines. */
export function matches(printed: string, shown: string): boolean {
  const pieces = shown.trimEnd().split('…')
  const pattern = pieces.map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('[\\s\\S]*?')}\\n?$`).test(printed)
}
