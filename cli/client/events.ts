import { limitOf, limitOption, readArguments, words } from './arguments.ts'
import { connect } from './connection.ts'
import { printJson, printTable, when } from './output.ts'

/** One page of events; its cursor is for the next call. */
export async function events(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    ...limitOption,
    cursor: { type: 'string' },
  })
  words(positionals)
  const { limit, cursor } = values
  const page = await connect(values).ergon.events({ limit: limitOf(limit), cursor })
  if (values.json) printJson(page)
  else {
    const rows = page.events.map(({ id, type, created_at }) => [when(created_at), type, id])
    printTable(['When', 'Event', 'Id'], rows, 'No events after this place yet.')
    console.log(`Go on with --cursor ${page.next_cursor}`)
  }
  return 0
}
