import { formatTrx } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { idIn, type Line, readLine, reasonIn, saidBy, Unclear } from '../options.ts'
import { runLimits, runNotes } from './clientTerms.ts'
import { EXIT, printResponse } from './response.ts'

const LISTED = 100

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon accounts …`: who is there, with what balance, VIP discounts and blocks. */
export async function runAccounts(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await rooms.pricing.refresh()
  const [first = '', id = ''] = line.words
  if (first === 'block' || first === 'unblock') return runBlock(rooms, line)
  if (first === 'limits') return runLimits(rooms, line)
  if (first === 'note' || first === 'notes') return runNotes(rooms, line)
  if (first !== 'discount') {
    if (id !== '') throw new Unclear('Put a text with spaces between quotes.')
    const found = await findAccounts(rooms, first, LISTED)
    const none = first === '' ? 'There are no accounts yet.' : `No account matches "${first}".`
    line.say(found, found.length > 0 ? found.map(textOf).join('\n') : none)
    return found.length > 0 || first === '' ? EXIT.done : EXIT.refused
  }
  idIn(id, "The account's id")
  const bps = line.option('bps')
  if (!/^\d{1,5}$/.test(bps) || Number(bps) > 10_000) {
    throw new Unclear('--bps needs a whole number from 0 to 10000: 100 is one per cent.')
  }
  const { who, why } = saidBy(line)
  const [before] = await findAccounts(rooms, id, 1)
  if (!before) {
    console.error('There is no account with this id.')
    return EXIT.refused
  }
  const deed = { who, what: 'discount', subject: id, why }
  const result = await rooms.operator.actions.perform(deed, async () => {
    await rooms.pricing.setDiscount(id, BigInt(bps))
    const [reply] = await findAccounts(rooms, id, 1)
    return { reply: reply!, change: { before: before.discount, after: bps } }
  })
  return printResponse(result, (account) => line.say(account, textOf(account)))
}

async function runBlock(rooms: Rooms, line: Line): Promise<number> {
  const { blocking } = rooms.operator
  const [verb, id = ''] = line.words
  idIn(id, "The account's id")
  const said = saidBy(line)
  const done =
    verb === 'block'
      ? await blocking.block(id, reasonIn(line, 'reason'), said)
      : await blocking.unblock(id, said)
  const [account] = await findAccounts(rooms, id, 1)
  return printResponse(done, () => line.say(account, account ? textOf(account) : id))
}

type Found = Awaited<ReturnType<typeof findAccounts>>[number]

export function textOf({
  id,
  name,
  login,
  balance,
  spendable,
  discount,
  group,
  block,
}: Found): string {
  const vip = discount > 0n ? `  VIP ${Number(discount) / 100} %` : ''
  const amounts = `${formatTrx(balance)} TRX (${formatTrx(spendable)} spendable)`
  const grouped = group === null ? '' : `  in ${group}`
  const blocked = block ? `  BLOCKED: ${block.reason}` : ''
  return `${id}  ${amounts.padEnd(40)}  ${login ?? '-'}  ${name}${vip}${grouped}${blocked}`
}
