/** `--name value` pairs of a command line; what has no name comes first, in order. */
export function parseOptions(args: string[]): { words: string[]; options: Map<string, string> } {
  const words: string[] = []
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (arg.startsWith('--')) {
      options.set(arg.slice(2), args[at + 1] ?? '')
      at += 1
    } else words.push(arg)
  }
  return { words, options }
}
