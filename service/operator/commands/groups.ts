import { findAccounts } from '../accounts.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { idIn, readLine, saidBy, Unclear } from '../options.ts'
import { textOf } from './accounts.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon groups …`: groups of clients, and who is in them. */
export async function runGroups(rooms: Rooms, args: string[]): Promise<number> {
  const { groups } = rooms.operator
  const line = readLine(args)
  const [verb = 'list', subject = ''] = line.words
  if (verb === 'list') {
    const rows = await groups.list()
    const text = rows.map(({ name, accounts }) => `${name.padEnd(40)}  ${accounts} accounts`)
    line.say(rows, text.join('\n') || 'There are no groups yet.')
    return EXIT.done
  }
  if (verb === 'create') {
    if (subject === '') throw new Unclear('The name of the group is missing.')
    const made = await groups.create(subject, saidBy(line))
    return printResponse(made, (name) => line.say({ name }, `The group ${name} is made.`))
  }
  if (verb !== 'move') return notUnderstood('groups')
  idIn(subject, "The account's id")
  const to = line.option('to')
  if (to === '') throw new Unclear('--to is missing: name a group, or none.')
  const moved = await groups.move(subject, to === 'none' ? null : to, saidBy(line))
  await rooms.pricing.refresh()
  const [account] = await findAccounts(rooms, subject, 1)
  return printResponse(moved, () => line.say(account, account ? textOf(account) : subject))
}
