// Runs `ergon` command lines one after another in one process, so the commands are loaded once.
import { writeSync } from 'node:fs'
import { main } from '../../cli/index.ts'

export type Line = { args: string[]; env: Record<string, string> }

let last: Promise<void> = Promise.resolve()
process.on('message', (line: Line) => {
  last = last.then(() => run(line))
})

async function run({ args, env }: Line): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const code = await main(args)
  // Mark the end of this command's output in both streams.
  for (const stream of [1, 2]) writeSync(stream, `\0${code}\n`)
}
