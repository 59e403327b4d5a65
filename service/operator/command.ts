/** One word of `npx ergon`. `run` prints and answers the exit code. */
export type Command = { summary: string; run(args: string[]): Promise<number> | number }
