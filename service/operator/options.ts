/** Options without a value. */
const FLAGS = ['json', 'text', 'restored', 'first']

/** Parses `--name value` pairs; `words` are the arguments without a name, in order. */
export function parseOptions(args: string[]): { words: string[]; options: Map<string, string> } {
  const words: string[] = []
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (!arg.startsWith('--')) words.push(arg)
    else if (FLAGS.includes(arg.slice(2))) options.set(arg.slice(2), 'yes')
    else {
      options.set(arg.slice(2), args[at + 1] ?? '')
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

/** Amounts become decimal text, because JSON readers round numbers above 2^53. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? `${one}` : one))
}
