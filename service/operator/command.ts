/** One word of `npx ergon`. `run` prints and answers the exit code. */
export type Command = {
  summary: string
  /** What can follow the word; shown by --help. */
  usage: string
  run(args: string[]): Promise<number> | number
}
