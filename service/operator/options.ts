import { isUuid, parseTrx, type Sun } from '../kernel/index.ts'

/** Options without a value. */
const FLAGS = ['json', 'text', 'restored', 'first', 'csv', 'html', 'experiment', 'all', 'standing']

/** The command line is not understood; the message says what is wrong with it. Exit code 2. */
export class Unclear extends Error {}

/** Parses `--name value` and `--name=value`; `words` are the arguments without a name, in order. */
export function parseOptions(args: string[]): { words: string[]; options: Map<string, string> } {
  const words: string[] = []
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (!arg.startsWith('--')) {
      words.push(arg)
      continue
    }
    const [name = '', ...given] = arg.slice(2).split('=')
    if (FLAGS.includes(name)) options.set(name, 'yes')
    else if (given.length > 0) options.set(name, given.join('='))
    else {
      const value = args[at + 1]
      if (value === undefined || value.startsWith('--')) throw new Unclear(`${arg} needs a value.`)
      options.set(name, value)
      at += 1
    }
  }
  return { words, options }
}

/** A parsed command line. */
export type Line = {
  words: string[]
  /** Empty when it was not given. */
  option(name: string): string
  /** Prints `value` with --json, else `text`. */
  say(value: unknown, text: string): void
}

export function readLine(args: string[]): Line {
  const { words, options } = parseOptions(args)
  const json = options.has('json')
  return {
    words,
    option: (name) => options.get(name) ?? '',
    say: (value, text) => console.log(json ? jsonOf(value) : text),
  }
}

const WHY_LENGTH_MIN = 3

/** Who does it and why, for the log of actions. */
export function saidBy(line: Line): { who: string; why: string } {
  return { who: nameIn(line), why: reasonIn(line) }
}

export function nameIn(line: Line): string {
  const who = line.option('by').trim()
  if (who === '') throw new Unclear('--by is missing: say who you are.')
  return who
}

/** The reason in --why, or in another option. `otherwise` is for commands where it may be left out. */
export function reasonIn(line: Line, name = 'why', otherwise?: string): string {
  const why = line.option(name).trim()
  if (why === '' && otherwise !== undefined) return otherwise
  if (why.length >= WHY_LENGTH_MIN) return why
  const missing = why === '' ? 'is missing' : 'is too short'
  throw new Unclear(
    `--${name} ${missing}: give a reason of at least ${WHY_LENGTH_MIN} characters, for the log of actions.`,
  )
}

/** An id among the words or options. */
export function idIn(text: string, what: string): string {
  if (isUuid(text)) return text
  throw new Unclear(text === '' ? `${what} is missing.` : `${what} is not an id: "${text}".`)
}

/** An amount in TRX. */
export function trxIn(line: Line): Sun {
  const amount = parseTrx(line.option('trx'))
  if (amount !== undefined) return amount
  throw new Unclear('--trx needs an amount in TRX, such as 12.5, with at most six decimals.')
}

/** Amounts become decimal text, because JSON readers round numbers above 2^53. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? `${one}` : one))
}
