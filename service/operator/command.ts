/** A command of `npx ergon`. `run` prints and returns the exit code. */
export type Command = {
  summary: string
  /** Arguments, shown by --help. */
  usage: string
  run(args: string[]): Promise<number> | number
}
