/** A command of `npx ergon`. `run` prints and returns the exit code. */
export type Command = {
  summary: string
  /** Arguments, shown by --help. */
  usage: string
  /** Where the list of commands has it, and a line as it is typed. */
  group?: string
  example?: string
  run(args: string[]): Promise<number> | number
}
