import type { Delivery } from '../../delivery/index.ts'
import { formatTrx, isUuid } from '../../kernel/index.ts'
import { parseOptions } from '../options.ts'

const USAGE = `Usage: npx ergon undecided list
       npx ergon undecided decide ID --as delivered|absent --by NAME --why TEXT`

/** `npx ergon undecided …`: deliveries that neither the marketplace nor the chain could settle. */
export async function runUndecided({ undecided }: Delivery, args: string[]): Promise<number> {
  const { words, options } = parseOptions(args)
  const [verb, id = ''] = words
  const decision = options.get('as')
  if (verb === 'list') {
    for (const one of await undecided.list()) {
      console.log(
        `${one.attempt}  ${one.provider}  ${one.energy} Energy for ${one.receiver}, ${formatTrx(one.cost)} TRX` +
          `\n  since ${one.since.toISOString()}: ${one.reason}\n  ${JSON.stringify(one.evidence)}`,
      )
    }
    return 0
  }
  if (verb !== 'decide' || !isUuid(id) || (decision !== 'delivered' && decision !== 'absent')) {
    console.error(USAGE)
    return 2
  }
  const [by, why] = [options.get('by') ?? '', options.get('why') ?? '']
  const objection = await undecided.decide(id, decision, by, why)
  if (objection) console.error(objection)
  return objection ? 1 : 0
}
