import { existsSync } from 'node:fs'
import { clientCommands } from './client/index.ts'
import type { Command, Commands } from './command.ts'
import { completion } from './completion.ts'
import { type Known, listText, optionsOf, usageText } from './help.ts'
import { didYouMean } from './nearest.ts'
import { OPERATOR_COMMANDS, OPERATOR_NAMES, PROGRAM } from './program.ts'
import { VERSION } from './version.ts'

const NOT_UNDERSTOOD = 2

/** The operators' commands exist only inside the repository, beside the rooms they call. */
async function operatorCommands(): Promise<Commands> {
  return existsSync(OPERATOR_COMMANDS) ? (await import(OPERATOR_COMMANDS.href)).commands : {}
}

async function operatorNames(): Promise<string[]> {
  return existsSync(OPERATOR_NAMES) ? (await import(OPERATOR_NAMES.href)).listedNames : []
}

const helpCommand: Command = {
  group: 'This machine',
  summary: 'This list, or what can follow one command',
  example: 'help buy',
  usage: '[COMMAND]',
  run: help,
}

const client: Commands = {
  ...clientCommands,
  completion: completion(known),
  help: helpCommand,
}

async function known(): Promise<Known> {
  return { client, operator: await operatorCommands() }
}

async function help([name]: string[]): Promise<number> {
  if (name === undefined) console.log(listText(await known()))
  return name === undefined ? 0 : main([name, '--help'])
}

/** What follows these names decides whose they are: an operator's line has always been understood as such. */
const OPERATORS_LINE: Record<string, (args: string[]) => boolean> = {
  keys: ([verb = '']) => ['create', 'show', 'import', 'passphrase'].includes(verb),
  status: (args) => !args.some((arg) => /^--(url|key)(=|$)/.test(arg)),
}

/** Loads the operators' commands only when needed: they import the whole service. */
async function find(name: string, args: string[]): Promise<Command | undefined> {
  const own = Object.hasOwn(client, name) ? client[name] : undefined
  if (own && !OPERATORS_LINE[name]?.(args)) return own
  if (!(await operatorNames()).includes(name)) return own
  const commands = await operatorCommands()
  return Object.hasOwn(commands, name) ? commands[name] : own
}

/** `ergon client status` and `ergon operator status` say whose command is meant. */
async function findNamed(whose: string, name = ''): Promise<Command | undefined> {
  const commands = whose === 'client' ? client : await operatorCommands()
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/** Runs one command line, prints its output, and returns the exit code. */
export async function main([first = 'help', ...rest]: string[]): Promise<number> {
  if (['--version', '-V', 'version'].includes(first)) {
    console.log(VERSION)
    return 0
  }
  const isNamed = first === 'client' || first === 'operator'
  if (isNamed && rest.length === 0) {
    console.log(listText({ ...(await known()), [first === 'client' ? 'operator' : 'client']: {} }))
    return 0
  }
  const [name = '', ...args] = isNamed
    ? rest
    : [['--help', '-h'].includes(first) ? 'help' : first, ...rest]
  const command = isNamed ? await findNamed(first, name) : await find(name, args)
  if (!command) return unknownCommand(name)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usageText(name, command))
    return 0
  }
  const options = optionsOf(command)
  const unknown = givenOptions(args).find((option) => !options.includes(option))
  if (unknown === undefined) return command.run(args)
  console.error(`There is no option ${unknown} here.${didYouMean(unknown, options)}`)
  console.error(`"${PROGRAM} ${name} --help" lists them.`)
  return NOT_UNDERSTOOD
}

async function unknownCommand(name: string): Promise<number> {
  const hint = didYouMean(name, [...Object.keys(client), ...(await operatorNames())])
  console.error(`There is no command "${name}".${hint} Run "${PROGRAM} help" to see them.`)
  return NOT_UNDERSTOOD
}

/** After `--` nothing is an option. */
function givenOptions(args: string[]): string[] {
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  return before.filter((arg) => /^--\w/.test(arg)).map((arg) => arg.split('=')[0]!)
}
