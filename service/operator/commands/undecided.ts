import { refuse } from '@ergon/contract'
import type { Delivery } from '../../delivery/index.ts'
import { formatTrx, isUuid } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { readLine } from '../options.ts'
import { notUnderstood, printResponse } from './response.ts'

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
    line.say(rows, text.join('\n'))
    return 0
  }
  const [decision, who, why] = [line.option('as'), line.option('by'), line.option('why')]
  const isDecision = decision === 'delivered' || decision === 'absent'
  if (verb !== 'decide' || !isUuid(id) || !isDecision) return notUnderstood('undecided')
  if (who === '' || why.trim().length < 3) return notUnderstood('undecided')
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
