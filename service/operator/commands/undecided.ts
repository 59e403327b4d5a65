import { refuse } from '@ergon/contract'
import type { Delivery } from '../../delivery/index.ts'
import { formatTrx } from '../../kernel/index.ts'
import { type Decision, decide } from '../decide.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { delivery: Delivery; operator: Operator }

/** `npx ergon undecided …`: deliveries that neither the marketplace nor the chain could settle. */
export async function runUndecided({ delivery, operator }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const { undecided } = delivery
  const [verb, id = ''] = line.words
  if (verb === 'list') {
    const rows = await undecided.list()
    const text = rows.map(
      (one) =>
        `${one.attempt}  ${one.provider}  ${one.energy} Energy for ${one.receiver}, ${formatTrx(one.cost)} TRX` +
        `\n  since ${one.since.toISOString()}: ${one.reason}\n  ${JSON.stringify(one.evidence)}`,
    )
    line.say(rows, text.join('\n') || 'Nothing waits for a decision.')
    return EXIT.done
  }
  if (verb !== 'decide' && verb !== 'effect') return notUnderstood('undecided')
  idIn(id, 'ID')
  const decision = decisionIn(line)
  if (verb === 'effect') {
    const effect = await undecided.effectOf(id, decision)
    const result =
      typeof effect === 'string' ? refuse('validation_error', { message: effect }) : effect
    return printResponse(result, (done) => line.say(done, done.sentence))
  }
  const deed = { id, decision, ...saidBy(line) }
  const decided = await decide({ undecided, actions: operator.actions }, deed)
  return printResponse(decided, (done) =>
    line.say(
      { id, decision: decision.as, booked: done.booked },
      `${id} is ${decision.as}. ${done.sentence}`,
    ),
  )
}

function decisionIn(line: Line): Decision {
  const [as, energy] = [line.option('as'), line.option('energy')]
  if (as !== 'delivered' && as !== 'partial' && as !== 'absent') {
    throw new Unclear('--as needs delivered, partial or absent.')
  }
  if ((as === 'partial') !== /^\d+$/.test(energy)) {
    throw new Unclear('--energy needs the Energy that came, and goes with --as partial.')
  }
  return { as, energy: as === 'partial' ? BigInt(energy) : undefined }
}
