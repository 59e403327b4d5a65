/** One command. `run` prints and returns the exit code. */
export type Command = {
  summary: string
  /** The arguments after the command's name; shown by --help. */
  usage?: string
  run(args: string[]): Promise<number> | number
}
