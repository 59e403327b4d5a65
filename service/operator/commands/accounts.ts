import { formatTrx, isUuid } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { readLine } from '../options.ts'
import { notUnderstood, printResponse } from './response.ts'

const LISTED = 100

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon accounts …`: who is there, with what balance, and VIP discounts. */
export async function runAccounts(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await rooms.pricing.refresh()
  const [first = '', id = ''] = line.words
  if (first !== 'discount') {
    const found = await findAccounts(rooms, first, LISTED)
    line.say(found, found.map(textOf).join('\n'))
    return found.length > 0 || first === '' ? 0 : 1
  }
  const [who, why, bps] = [line.option('by'), line.option('why'), line.option('bps')]
  const isBps = /^\d{1,5}$/.test(bps) && Number(bps) <= 10_000
  if (!isUuid(id) || !isBps || who === '' || why.trim().length < 3) return notUnderstood('accounts')
  const [before] = await findAccounts(rooms, id, 1)
  if (!before) {
    console.error('There is no account with this id.')
    return 1
  }
  const deed = { who, what: 'discount', subject: id, why }
  const result = await rooms.operator.actions.perform(deed, async () => {
    await rooms.pricing.setDiscount(id, BigInt(bps))
    const [reply] = await findAccounts(rooms, id, 1)
    return { reply: reply!, change: { before: before.discount, after: bps } }
  })
  return printResponse(result, (account) => line.say(account, textOf(account)))
}

type Found = Awaited<ReturnType<typeof findAccounts>>[number]

function textOf({ id, name, login, balance, spendable, discount }: Found): string {
  const vip = discount > 0n ? `  VIP ${Number(discount) / 100} %` : ''
  const amounts = `${formatTrx(balance)} TRX (${formatTrx(spendable)} spendable)`
  return `${id}  ${amounts.padEnd(40)}  ${login ?? '-'}  ${name}${vip}`
}
