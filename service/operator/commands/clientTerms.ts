import type { ClientLimits } from '../../identity/index.ts'
import { formatTrx, parseTrx, sun } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { idIn, type Line, nameIn, saidBy, Unclear } from '../options.ts'
import { EXIT, printResponse } from './response.ts'

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon accounts limits …`: what is left out is as for everybody. */
export async function runLimits(rooms: Rooms, line: Line): Promise<number> {
  const [, id = ''] = line.words
  idIn(id, "The account's id")
  const credit = line.option('credit')
  const unverifiedCredit = credit === '' ? undefined : parseTrx(credit)
  if (credit !== '' && (unverifiedCredit === undefined || unverifiedCredit < 0n)) {
    throw new Unclear('--credit needs an amount in TRX, such as 12.5, from 0.')
  }
  const limits = {
    requestsPerMinute: countIn(line, 'requests'),
    unverifiedCredit,
    orderMax: countIn(line, 'order'),
  }
  const done = await rooms.operator.clientTerms.limit(id, limits, saidBy(line))
  const [account] = await findAccounts(rooms, id, 1)
  return printResponse(done, () => line.say(account?.limits, wordsOf(limits)))
}

function countIn(line: Line, name: string): bigint | undefined {
  const text = line.option(name)
  if (text === '') return undefined
  if (/^[1-9]\d{0,11}$/.test(text)) return BigInt(text)
  throw new Unclear(`--${name} needs a whole number above 0, and "${text}" is none.`)
}

function wordsOf({ requestsPerMinute, unverifiedCredit, orderMax }: ClientLimits): string {
  const own = [
    requestsPerMinute === undefined ? [] : `${requestsPerMinute} requests a minute`,
    unverifiedCredit === undefined
      ? []
      : `${formatTrx(sun(unverifiedCredit))} TRX of unverified credit`,
    orderMax === undefined ? [] : `${orderMax} Energy in an order`,
  ].flat()
  return own.length > 0 ? `Limits of its own: ${own.join(', ')}.` : 'Limits as for everybody.'
}

/** `npx ergon accounts note …`: for operators alone. */
export async function runNotes(rooms: Rooms, line: Line): Promise<number> {
  const { clientTerms } = rooms.operator
  const [verb, id = ''] = line.words
  idIn(id, "The account's id")
  if (verb === 'note') {
    const text = line.option('note').trim()
    if (text === '') throw new Unclear('--note is missing: the note itself.')
    const done = await clientTerms.note(id, text, nameIn(line))
    return printResponse(done, () => line.say({ account: id }, 'The note is written.'))
  }
  const notes = await clientTerms.notes(id)
  const text = notes.map(({ at, who, text: words }) => `${at.toISOString()}  ${who}: ${words}`)
  line.say(notes, text.join('\n') || 'There are no notes.')
  return EXIT.done
}
