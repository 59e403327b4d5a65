import { isRefusal, type Refusal, type Role } from '@ergon/contract'
import type { Command } from '../command.ts'
import { parseOptions, Unclear } from '../options.ts'
import { roleOfCommand } from '../permissions.ts'
import { listedAs, listedNames } from './listed.ts'
import { notUnderstood, printResponse } from './response.ts'
import { usage } from './usage.ts'

type Name = keyof typeof usage

/** The operator behind a name if their role is enough, or the refusal; a number: the exit code, and the trouble is printed. */
type Named = (by: string, needed: Role) => Promise<string | Refusal | number>

/** Words that can follow a command; `keys` and `sql` look at theirs themselves. */
const WORDS_MAX: Partial<Record<Name, number>> = {
  accounts: 2,
  adjust: 2,
  announcements: 2,
  audit: 0,
  bars: 2,
  config: 0,
  doctor: 0,
  floats: 2,
  'hot-wallet': 1,
  incidents: 2,
  log: 0,
  migrate: 0,
  'operator-key': 2,
  operators: 3,
  order: 2,
  payout: 2,
  plans: 1,
  prices: 1,
  providers: 0,
  reconcile: 0,
  recover: 2,
  report: 2,
  rescan: 0,
  schedule: 1,
  secrets: 1,
  signer: 3,
  stakes: 2,
  statements: 2,
  status: 0,
  switches: 2,
  undecided: 2,
}

/** The commands in the order of the list, each of which refuses options and words that it does not know, and says which. */
export function understood(
  commands: Record<string, Command>,
  named: Named,
): Record<string, Command> {
  const all = Object.entries(commands).map(([name, command]): [string, Command] => {
    const run = async (args: string[]) => {
      try {
        check(name as Name, args)
        const line = await inTheNameOf(name as Name, args, named)
        return typeof line === 'number' ? line : await command.run(line)
      } catch (error) {
        if (error instanceof Unclear) return notUnderstood(name as Name, error.message)
        throw error
      }
    }
    return [name, { ...command, ...listedAs(name), run }]
  })
  const place = ([name]: [string, Command]) => listedNames.indexOf(name)
  return Object.fromEntries(all.sort((a, b) => place(a) - place(b)))
}

/** Puts the operator's e-mail in the place of --by, or prints the refusal. */
async function inTheNameOf(name: Name, args: string[], named: Named): Promise<string[] | number> {
  const role = roleOfCommand(name, args)
  const by = parseOptions(args).options.get('by') ?? ''
  // A command without a name says itself whether it needs one.
  if (role === undefined || role === 'machine' || by === '') return args
  const who = await named(by, role)
  if (typeof who === 'number') return who
  if (isRefusal(who)) return printResponse(who, () => {})
  const at = args.findIndex((arg) => arg === '--by' || arg.startsWith('--by='))
  return [...args.slice(0, at), `--by=${who}`, ...args.slice(at + (args[at] === '--by' ? 2 : 1))]
}

function check(name: Name, args: string[]) {
  const known = [...usage[name].matchAll(/--([a-z-]+)/g)].map(([, option]) => option)
  // Before their values: an unknown option needs none.
  const given = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2).split('=')[0])
  const unknown = given.find((option) => ![...known, 'json'].includes(option))
  if (unknown !== undefined) throw new Unclear(`There is no option --${unknown} here.`)
  const { words } = parseOptions(args)
  const surplus = words[WORDS_MAX[name] ?? words.length]
  if (surplus !== undefined) throw new Unclear(`"${surplus}" is one word too many.`)
}
