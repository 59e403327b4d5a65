import type { Operator } from '../operator.ts'
import { readLine, saidBy, Unclear } from '../options.ts'
import { COMMISSION_BPS_MAX } from '../referral.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

const wordsOf = (bps: bigint) =>
  bps === 0n
    ? 'Clients get nothing for whom they bring.'
    : `Clients get ${Number(bps) / 100} % of the orders of those who signed up with their code.`

/** `npx ergon referral …`: the commission for clients through whom others signed up. */
export async function runReferral(
  { operator }: { operator: Operator },
  args: string[],
): Promise<number> {
  const line = readLine(args)
  const [verb] = line.words
  const say = (bps: bigint) => line.say({ basis_points: bps }, wordsOf(bps))
  if (verb === undefined) {
    say(await operator.referral.terms())
    return EXIT.done
  }
  if (verb !== 'set') return notUnderstood('referral')
  const bps = line.option('bps')
  if (!/^\d{1,4}$/.test(bps) || Number(bps) > COMMISSION_BPS_MAX) {
    throw new Unclear('--bps needs a whole number from 0 to 5000: 100 is one per cent.')
  }
  return printResponse(await operator.referral.set(BigInt(bps), saidBy(line)), say)
}
