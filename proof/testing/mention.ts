import { type Inline, inlineWithNeeds, tableOfCommands } from './documented.ts'

// Sentences name commands with placeholders: `npx ergon buy ADDRESS ENERGY`. Such a mention is
// proven by a command that was run and equals the mention with its placeholders filled in.

const PROGRAM = /^(?:[A-Z_]+=\S+ )*(npx|npm|node|curl|docker|git|bash|sh|psql)(?: |$)/
const PLACE = /<[^>]*>|…|(?<![\w-])[A-Z][A-Z_-]*(?![\w-])/

/** Whether the code begins with a program, so that a reader can type it. */
export const isCommand = (code: string) => PROGRAM.test(code)

/** Commands in the sentences of a page and in its table of commands. */
export function mentionsIn(text: string): Inline[] {
  const table = tableOfCommands(text).map((one) => ({ ...one, code: `npx ergon ${one.code}` }))
  return [...inlineWithNeeds(text).filter(({ code }) => isCommand(code)), ...table]
}

export const hasPlaces = (code: string) => wordsOf(code).some((word) => PLACE.test(word))

/** The commands of a script, also within $( ), before a pipe, or in a loop. */
export function commandsOf(script: string): string[] {
  const lines = script.replaceAll(/ *\\\n */g, ' ').split('\n')
  const parts = lines.flatMap((line) => line.split(/ +# .*$|\$\(|\)|\||;|&&|> /))
  return parts.map((part) => part.trim().replace(/^(until|do|while) /, '')).filter(isCommand)
}

type Line = { words: string[]; options: Map<string, string> }

/**
 * Whether the run command fits the mention; it may have more arguments, and options in another
 * order.
 */
export function isMentionOf(mention: string, run: string): boolean {
  const [wanted, done] = [parse(mention), parse(run)]
  // A trailing … stands for any further words.
  if (wanted.words.at(-1) === '…') wanted.words.pop()
  return (
    wanted.words.every((word, at) => fits(word, done.words[at])) &&
    [...wanted.options].every(([name, value]) => fits(value, done.options.get(name)))
  )
}

function parse(line: string): Line {
  const words: string[] = []
  const options = new Map<string, string>()
  const parts = wordsOf(line)
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]!
    if (!part.startsWith('--') || part === '--') words.push(part)
    else {
      const isValue = parts[at + 1] !== undefined && !parts[at + 1]!.startsWith('--')
      options.set(part, isValue ? parts[at + 1]! : '')
      if (isValue) at += 1
    }
  }
  return { words, options }
}

/** Splits into words; the brackets of an optional [TEXT] are dropped. */
const wordsOf = (line: string) =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^\[|\]$/g, ''))

function fits(wanted: string, done: string | undefined): boolean {
  if (done === undefined) return false
  const escaped = (text: string) => text.replaceAll(/[.*+?^${}()[\]\\]/g, '\\$&')
  const pattern = wanted.split(new RegExp(PLACE, 'g')).map(escaped).join('.+')
  return new RegExp(`^(?:${pattern})$`).test(done)
}
