import type { Deposits, Payouts } from '../../deposits/index.ts'
import { formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import { parseOptions } from '../options.ts'

const USAGE = `Usage: npx ergon payout request --account ID --to ADDRESS --trx AMOUNT --reason TEXT --by NAME
       npx ergon payout approve ID --by NAME
       npx ergon payout list`
const LISTED = 50

/** `npx ergon payout …`: one operator asks, another one approves. */
export async function runPayout({ payouts }: Deposits, args: string[]): Promise<number> {
  const { words, options } = parseOptions(args)
  const [verb, id = ''] = words
  const option = (name: string) => options.get(name) ?? ''
  if (verb === 'request') return request(payouts, option)
  if (verb === 'approve' && isUuid(id)) return told(await payouts.approve(id, option('by')))
  if (verb === 'list') return list(payouts)
  console.error(USAGE)
  return 2
}

async function request(payouts: Payouts, option: (name: string) => string): Promise<number> {
  const account = option('account')
  const amount = parseTrx(option('trx'))
  if (!isUuid(account) || amount === undefined) {
    console.error(USAGE)
    return 2
  }
  const [to, reason, by] = ['to', 'reason', 'by'].map(option) as [string, string, string]
  return told(await payouts.request({ account, to, amount, reason, by }))
}

async function list(payouts: Payouts): Promise<number> {
  for (const one of await payouts.list(LISTED)) {
    const people = `${one.requestedBy}${one.approvedBy ? `, approved by ${one.approvedBy}` : ''}`
    const note = one.trouble ? ` (${one.trouble})` : ''
    console.log(
      `${one.id}  ${one.state.padEnd(9)}  ${formatTrx(one.amount)} TRX to ${one.to}  ${people}: ${one.reason}${note}`,
    )
  }
  return 0
}

function told(said: Awaited<ReturnType<Payouts['approve']>>): number {
  if ('refused' in said) console.error(said.refused)
  else console.log(said.id)
  return 'refused' in said ? 1 : 0
}
