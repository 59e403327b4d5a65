/** One command. `run` prints and returns the exit code. */
export type Command = {
  /** A sentence for the list of commands. */
  summary: string
  /** The arguments after the command's name; shown by --help. */
  usage?: string
  /** The heading under which the list of commands has it. */
  group?: string
  /** A line as it is typed, without the program's name. */
  example?: string
  /** Words that can follow; completion offers them. */
  verbs?: readonly string[]
  run(args: string[]): Promise<number> | number
}

export type Commands = Record<string, Command>
