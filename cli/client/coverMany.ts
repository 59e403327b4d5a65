import type { Ergon, NewSubscription, SubscriptionResult } from '../../sdk/index.ts'
import { linesOf } from './linesOf.ts'
import { count, printJson, printTable, trx } from './output.ts'
import { Unusable } from './unusable.ts'

/** The most addresses of one call. */
const BATCH_MAX = 100

/** The first word of each line. */
export function addressesIn(file: string): string[] {
  const found = linesOf(file).map(({ text }) => text.split(/[\s,;]/, 1)[0]!)
  if (found.length === 0) throw new Unusable(`${file} has no addresses.`)
  return found
}

/** Covers each address by itself; addresses that are covered already are refused, so the command can be repeated. */
export async function coverMany(
  api: Ergon['autoenergy'],
  wanted: readonly NewSubscription[],
  json: boolean | undefined,
): Promise<number> {
  const results: SubscriptionResult[] = []
  try {
    for (let from = 0; from < wanted.length; from += BATCH_MAX) {
      const answer = await api.subscribeBatch(wanted.slice(from, from + BATCH_MAX))
      results.push(...answer.results)
    }
  } finally {
    // Also what was covered before a call that failed.
    if (json) printJson({ results })
    else describe(wanted, results)
  }
  return results.every(({ status }) => status === 201) ? 0 : 1
}

function describe(wanted: readonly NewSubscription[], results: readonly SubscriptionResult[]) {
  const rows = results.map(({ body }, nth) => {
    const made =
      'id' in body ? [body.status, trx(body.plan.activation_fee_trx)] : [body.message, '-']
    return [wanted[nth]!.address, ...made]
  })
  printTable(['Address', 'Result', 'Activation'], rows, '')
  const covered = results.filter(({ status }) => status === 201).length
  console.log(`${count(covered)} of ${count(results.length)} addresses are covered now.`)
}
