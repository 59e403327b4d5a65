import type { Command, Commands } from './command.ts'
import { PROGRAM } from './program.ts'

const CLIENT = `Client commands. They speak to an Ergon: --url and --key, ERGON_URL and ERGON_KEY, the sandbox in this
folder, or ${PROGRAM} login.`
const OPERATOR =
  'Operator commands. They speak to the database and run on a machine of the service.'

export type Known = { client: Commands; operator: Commands }

/** All commands in groups, those of clients and of operators apart. */
export function listText({ client, operator }: Known): string {
  const width = Math.max(...[client, operator].flatMap(Object.keys).map(({ length }) => length))
  const parts = [`Usage: ${PROGRAM} <command>`, CLIENT, ...groupsOf(client, width)]
  if (Object.keys(operator).length > 0) parts.push(OPERATOR, ...groupsOf(operator, width))
  parts.push(`${PROGRAM} <command> --help says what can follow.`)
  return parts.join('\n\n')
}

function groupsOf(commands: Commands, width: number): string[] {
  const groups = new Map<string, string[]>()
  for (const [name, { group = 'Other', summary, example }] of Object.entries(commands)) {
    const lines = groups.get(group) ?? []
    lines.push(`  ${name.padEnd(width)}  ${summary}`)
    if (example) lines.push(`  ${''.padEnd(width)}    ${PROGRAM} ${example}`)
    groups.set(group, lines)
  }
  return [...groups].map(([group, lines]) => `${group}\n${lines.join('\n')}`)
}

/** What --help prints of one command: what can follow, what it does, an example, and what all have. */
export function usageText(name: string, { summary, usage = '', example }: Command): string {
  const [own = '', ...common] = usage.split('\n\n')
  const parts = [`Usage: ${PROGRAM} ${name} ${own}`.trimEnd(), `${summary}.`]
  if (example) parts.push(`Example: ${PROGRAM} ${example}`)
  return [...parts, ...common].join('\n\n')
}

/** Options that a command knows, which its usage names. */
export function optionsOf({ usage = '' }: Command): string[] {
  const named = [...usage.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option)
  return [...new Set([...named, '--json', '--help'])]
}

/** Words that can follow a command: its verbs, or those at the beginning of its usage lines. */
export function verbsOf(name: string, { verbs, usage = '' }: Command): readonly string[] {
  if (verbs) return verbs
  const lines = usage.split('\n').flatMap((line, at) => {
    const [, rest] = new RegExp(`^ *npx ergon ${name} (.*)`).exec(line) ?? []
    return rest ?? (at === 0 ? line : [])
  })
  const first = lines.map((line) => /^\[?([a-z][a-z-]*)\]?(?: |$)/.exec(line)?.[1])
  return [...new Set(first.flatMap((word) => word ?? []))]
}
