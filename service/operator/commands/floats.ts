import { parseAddress } from '@ergon/tron'
import { exactTrx, formatTrx } from '../../kernel/index.ts'
import type { FloatView, Treasury } from '../../treasury/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { createTreasuryDeeds, transferLine } from '../treasuryDeeds.ts'
import { amountIn } from './hotWallet.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { treasury: Treasury; operator: Operator }
type Deeds = ReturnType<typeof createTreasuryDeeds>

const SHOWN = 20
const trx = (amount: bigint) => `${exactTrx(formatTrx(amount))} TRX`

/** `npx ergon floats …`: prepaid balances at marketplaces and their top-ups. Exit code 1 when one is missing. */
export async function runFloats({ treasury, operator }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb = 'list', name = ''] = line.words
  const deeds = createTreasuryDeeds({ treasury, actions: operator.actions })
  switch (verb) {
    case 'list':
      return list(treasury, line)
    case 'on':
    case 'off': {
      const done = await deeds.turnFloat(providerIn(name), verb === 'on', saidBy(line))
      return printResponse(done, (row) => line.say(row, `Top-ups of ${row.provider} are ${verb}.`))
    }
    case 'set':
      return set(deeds, providerIn(name), line)
    case 'decide':
      return decide(deeds, name, line)
    default:
      return notUnderstood('floats')
  }
}

function providerIn(name: string): string {
  if (name !== '') return name
  throw new Unclear('Name the marketplace, such as catfee.')
}

async function list(treasury: Treasury, line: Line): Promise<number> {
  const floats = await treasury.view.floats()
  const transfers = (await treasury.view.transfers(100)).filter(({ kind }) => kind === 'top_up')
  const text = [
    ...floats.flatMap(linesOf),
    ...transfers.slice(0, SHOWN).map((row) => `${row.id}  ${transferLine(row)}`),
  ]
  const none = 'No marketplace is connected.'
  line.say({ floats, transfers }, text.length > 0 ? text.join('\n') : none)
  return transfers.some(({ state }) => state === 'missing') ? EXIT.refused : EXIT.done
}

function linesOf({ provider, set: row, balance, waits }: FloatView): string[] {
  const has = balance === null ? 'has not said what it holds' : `holds ${trx(balance)}`
  if (!row) return [`${provider} ${has}; no top-ups are set.`]
  const { floor, ceiling, dailyCap, address, enabled, changedBy, reason } = row
  const held = waits ? [`  A top-up waits: ${waits}.`] : []
  return [
    `${provider} ${has}; top-ups are ${enabled ? 'on' : 'off'}.`,
    `  Below ${trx(floor)} up to ${trx(ceiling)}, at most ${trx(dailyCap)} a day, to ${address}.`,
    `  Set by ${changedBy}: ${reason}`,
    ...held,
  ]
}

async function set(deeds: Deeds, provider: string, line: Line): Promise<number> {
  const address = line.option('address')
  if (!parseAddress(address)) throw new Unclear('--address needs a TRON address.')
  const wish = {
    address,
    floor: amountIn(line, 'floor'),
    ceiling: amountIn(line, 'ceiling'),
    dailyCap: amountIn(line, 'daily'),
  }
  const done = await deeds.setFloat(provider, wish, saidBy(line))
  return printResponse(done, (row) =>
    line.say(
      row,
      `The float at ${row.provider} is set; top-ups are ${row.enabled ? 'on' : 'off'}.`,
    ),
  )
}

async function decide(deeds: Deeds, id: string, line: Line): Promise<number> {
  idIn(id, "The top-up's id")
  const as = line.option('as')
  if (as !== 'arrived' && as !== 'lost' && as !== 'wait') {
    throw new Unclear('--as is arrived, lost or wait.')
  }
  const credited = line.option('credited') === '' ? undefined : amountIn(line, 'credited')
  if (credited !== undefined && as !== 'arrived') {
    throw new Unclear('--credited belongs to --as arrived.')
  }
  const done = await deeds.decide(id, as, credited, saidBy(line))
  return printResponse(done, (row) => line.say(row, `The top-up is ${row.state}.`))
}
