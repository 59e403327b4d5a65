import { existsSync } from 'node:fs'
import { clientCommands } from './client/index.ts'
import type { Command } from './command.ts'

/** The operator's commands exist only inside the repository, beside the rooms they call. */
async function operatorCommands(): Promise<Record<string, Command>> {
  const path = new URL('../service/app/commands.ts', import.meta.url)
  return existsSync(path) ? (await import(path.href)).commands : {}
}

async function help(): Promise<number> {
  const commands = { ...clientCommands, ...(await operatorCommands()), help: helpCommand }
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  )
  console.log(`Usage: npx ergon <command>\n\n${lines.join('\n')}`)
  return 0
}

const helpCommand: Command = { summary: 'Shows this list', run: help }

/** Loads the operator's commands only when needed: they import the whole service. */
async function find(name: string): Promise<Command | undefined> {
  if (['help', '--help', '-h'].includes(name)) return helpCommand
  if (Object.hasOwn(clientCommands, name)) return clientCommands[name]
  const commands = await operatorCommands()
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/** Runs one command line, prints its output, and returns the exit code. */
export async function main([name = 'help', ...args]: string[]): Promise<number> {
  const command = await find(name)
  if (!command) {
    console.error(`There is no command "${name}". Run "npx ergon help" to see them.`)
    return 2
  }
  const wantsUsage = args.includes('--help') || args.includes('-h')
  if (command.usage === undefined || !wantsUsage) return command.run(args)
  console.log(`Usage: npx ergon ${name} ${command.usage}`)
  return 0
}
