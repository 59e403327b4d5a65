#!/usr/bin/env node
import { existsSync } from 'node:fs'

/** One word of the command line. `run` prints and answers the exit code. */
type Command = { summary: string; run(args: string[]): Promise<number> | number }

/** The operator's commands exist only inside the repository, beside the rooms they speak to. */
async function operatorCommands(): Promise<Record<string, Command>> {
  const door = new URL('../service/main/commands.ts', import.meta.url)
  return existsSync(door) ? (await import(door.href)).commands : {}
}

const commands: Record<string, Command> = {
  ...(await operatorCommands()),
  help: { summary: 'Shows this list', run: help },
}

function help(): number {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  )
  console.log(`Usage: npx ergon <command>\n\n${lines.join('\n')}`)
  return 0
}

async function main([name = 'help', ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h') return help()
  if (!Object.hasOwn(commands, name)) {
    console.error(`There is no command "${name}". Run "npx ergon help" to see them.`)
    return 2
  }
  return commands[name]!.run(args)
}

process.exitCode = await main(process.argv.slice(2))
