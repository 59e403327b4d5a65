import { refuse } from '@ergon/contract'
import type { Delivery } from '../../delivery/index.ts'
import { formatTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, readLine, saidBy, Unclear } from '../options.ts'
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
  if (verb !== 'decide') return notUnderstood('undecided')
  idIn(id, 'ID')
  const decision = line.option('as')
  if (decision !== 'delivered' && decision !== 'absent') {
    throw new Unclear('--as needs delivered or absent.')
  }
  const { who, why } = saidBy(line)
  const result = await operator.actions.perform(
    { who, what: 'decide', subject: id, why },
    async () => {
      const objection = await undecided.decide(id, decision, who, why)
      if (objection) return refuse('validation_error', { message: objection })
      return { reply: { id, decision }, change: { before: 'undecided', after: decision } }
    },
  )
  return printResponse(result, (done) => line.say(done, `${done.id} is ${done.decision}.`))
}
