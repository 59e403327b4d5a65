import { refuse } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import type { Db } from '../../db/index.ts'
import type { Deposits, Recovered } from '../../deposits/index.ts'
import { formatTrx, isUuid, type Runtime } from '../../kernel/index.ts'
import { confirmRecovery } from '../../signer/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'
import { textOfOutflow } from './signing.ts'

type Rooms = { deposits: Deposits; operator: Operator }

/** `npx ergon recover [attach]`: books what our keys have sent and the books do not know. */
export async function runRecover(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb] = line.words
  if (verb === 'attach') return attach(rooms, line)
  if (verb !== undefined) return notUnderstood('recover')
  const result = await rooms.deposits.recovering().recover(line.option('restored') !== '')
  if ('refused' in result) {
    console.error(result.refused)
    return EXIT.refused
  }
  const { booked, open, waiting } = result
  line.say({ booked: Object.fromEntries(booked), open, waiting }, textOf(result))
  return open.length > 0 || waiting > 0 ? EXIT.refused : EXIT.done
}

function textOf({ booked, open, waiting }: Recovered): string {
  const lines = [...booked].map(([as, count]) => `booked ${count} × ${as}`)
  if (booked.size === 0) lines.push('Nothing new to book.')
  for (const { txid, address, amount, contract, block, why } of open) {
    lines.push(
      `DECIDE ${txid}: ${why}`,
      `  ${contract} of ${formatTrx(amount)} TRX from ${toBase58(address)} in block ${block}`,
    )
  }
  if (open.length > 0) {
    lines.push(
      'A payout: npx ergon recover attach TXID. Anything else: name it when you confirm, --seen.',
    )
  }
  if (waiting > 0) lines.push(`${waiting} are in blocks that are not final yet; run it again.`)
  else lines.push("Then, on the signer's machine: npx ergon recover confirm --why TEXT --by NAME")
  return lines.join('\n')
}

async function attach({ deposits, operator }: Rooms, line: Line): Promise<number> {
  const [, txid = ''] = line.words
  const [payout, account, id] = [line.option('payout'), line.option('account'), line.option('id')]
  if (!/^[0-9a-f]{64}$/.test(txid)) throw new Unclear('TXID needs 64 hexadecimal digits.')
  if ((payout === '') === (account === '')) throw new Unclear('Give --payout or --account.')
  idIn(payout || account, payout ? '--payout' : '--account')
  if (id !== '') idIn(id, '--id')
  const { who, why } = saidBy(line)
  const to = isUuid(payout) ? { payout } : { account, ...(id && { id }) }
  const deed = { who, what: 'recover', subject: txid, why }
  const result = await operator.actions.perform(deed, async () => {
    const done = await deposits.recovering().attach(txid, to, who)
    if ('refused' in done) return refuse('validation_error', { message: done.refused })
    return { reply: done, change: { after: `payout ${done.id}` } }
  })
  return printResponse(result, (done) => line.say(done, `${txid} has paid payout ${done.id}.`))
}

/** `npx ergon recover confirm`: with the signer's role and files, on its machine. */
export async function runConfirm(
  signer: { db: Db; runtime: Runtime; folder: string },
  args: string[],
): Promise<number> {
  const line = readLine(args)
  const { who: by, why } = saidBy(line)
  if (!/^\d{0,9}$/.test(line.option('booked'))) throw new Unclear('--booked needs a whole number.')
  const seen = line.option('seen').split(',').filter(Boolean)
  const booked = Number(line.option('booked') || 0)
  const result = await confirmRecovery(signer, { by, why, seen, booked })
  if (!result.confirmed) {
    const findings = result.unseen.map(textOfOutflow)
    console.error([`Signing stays off. ${result.why}`, ...findings].join('\n'))
    return EXIT.refused
  }
  const { findings, lines, rebuilt } = result
  const file = rebuilt
    ? `\n${lines} lines were written to the signer's file; payouts are signed again in 24 hours.`
    : ''
  const done =
    findings > 0 ? `Confirmed: ${findings} findings. Signing is on.` : 'There are no findings.'
  line.say(result, `${done}${file}`)
  return EXIT.done
}
