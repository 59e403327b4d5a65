import { parseAddress } from '@ergon/tron'
import { exactTrx, formatTrx, parseTrx } from '../../kernel/index.ts'
import type { HotWalletView, Treasury } from '../../treasury/index.ts'
import type { Operator } from '../operator.ts'
import { type Line, readLine, saidBy, Unclear } from '../options.ts'
import { createTreasuryDeeds, forecastLines, transferLine } from '../treasuryDeeds.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { treasury: Treasury; operator: Operator }

const SHOWN = 10

/** `npx ergon hot-wallet …`: floor, ceiling and cold address, and the forecast. Exit code 1 when it is short. */
export async function runHotWallet({ treasury, operator }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb = 'list'] = line.words
  if (verb === 'list') return list(treasury, line)
  const deeds = createTreasuryDeeds({ treasury, actions: operator.actions })
  if (verb === 'on' || verb === 'off') {
    const done = await deeds.turnHotWallet(verb === 'on', saidBy(line))
    return printResponse(done, (row) => line.say(row, `The surplus transfer is ${verb}.`))
  }
  if (verb !== 'set') return notUnderstood('hot-wallet')
  const cold = line.option('cold')
  if (!parseAddress(cold)) throw new Unclear('--cold needs a TRON address.')
  const wish = { floor: amountIn(line, 'floor'), ceiling: amountIn(line, 'ceiling'), cold }
  const done = await deeds.setHotWallet(wish, saidBy(line))
  return printResponse(done, (row) =>
    line.say(
      row,
      `Floor ${formatTrx(row.floor)} TRX, ceiling ${formatTrx(row.ceiling)} TRX, cold address ${row.cold}; it is ${row.enabled ? 'on' : 'off'}.`,
    ),
  )
}

async function list(treasury: Treasury, line: Line): Promise<number> {
  const view = await treasury.view.hotWallet()
  const transfers = (await treasury.view.transfers(100)).filter(({ kind }) => kind === 'surplus')
  const text = [
    ...settingLines(view),
    ...forecastLines(view.forecast).map(
      ({ what, trx }) => `  ${what.padEnd(36)}${exactTrx(trx)} TRX`,
    ),
    ...outlookLines(view),
    ...transfers.slice(0, SHOWN).map((row) => `  ${row.id}  ${transferLine(row)}`),
  ]
  line.say({ ...view, transfers }, text.join('\n'))
  return view.set?.enabled && view.outlook?.isShort ? EXIT.refused : EXIT.done
}

function settingLines({ set, waits, destinations }: HotWalletView): string[] {
  const places = destinations.map(
    ({ address, hour, day }) =>
      `  ${address}, ${formatTrx(hour)} TRX an hour, ${formatTrx(day)} a day`,
  )
  const allowed = ["Destinations of the treasury in the signer's file", ...places]
  if (places.length === 0) allowed.push('  None: npx ergon signer treasury add.')
  if (!set) return ['The hot wallet has no floor, no ceiling and no cold address.', ...allowed]
  const { enabled, floor, ceiling, cold, changedBy, reason } = set
  const settings = `Floor ${formatTrx(floor)} TRX, ceiling ${formatTrx(ceiling)} TRX, cold address ${cold}; ${enabled ? 'on' : 'off'}.`
  const held = waits ? [`A surplus waits: ${waits}.`] : []
  return [settings, `Set by ${changedBy}: ${reason}`, ...held, ...allowed]
}

function outlookLines({ outlook, underWay, recorded, set }: HotWalletView): string[] {
  if (!outlook || !recorded) return ['Not reconciled yet: npx ergon reconcile.']
  const { spendable, afterDay, hoursLeft, isShort, free, amount } = outlook
  const trx = (sun: bigint) => `${exactTrx(formatTrx(sun))} TRX`
  const short = set?.enabled && isShort ? ', which is below the floor' : ''
  const enough =
    hoursLeft === undefined
      ? ''
      : ` Without sweeps and deposits it is enough for ${hoursLeft} hours.`
  return [
    `On the hot wallet ${trx(recorded.hot)}, under way ${trx(underWay)}: ${trx(spendable)} can be spent.`,
    `In 24 hours ${trx(afterDay)}${short}.${enough}`,
    `Above what is owed, under way and needed: ${trx(free)}; ${set ? (amount > 0n ? `${trx(amount)} of it are surplus` : 'no surplus') : 'without a ceiling nothing is sent'}.`,
  ]
}

/** An amount in TRX in an option of this name. */
export function amountIn(line: Line, name: string): bigint {
  const amount = parseTrx(line.option(name))
  if (amount !== undefined) return amount
  throw new Unclear(`--${name} needs an amount in TRX, such as 1000.`)
}
