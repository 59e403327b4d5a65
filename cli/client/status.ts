import { ApiError, ConnectionError } from '../../sdk/index.ts'
import { readArguments, words } from './arguments.ts'
import { connect, type Flags, findPlace, type Place } from './connection.ts'
import { count, printFields, printJson, trx } from './output.ts'

const ENERGY = 65_000
const ANSWER_MS_MAX = 10_000
const [WELL, NOT_WELL, NO_ANSWER] = [0, 1, 3]

/** Whether the service answers, whether it takes our key, and what Energy costs. */
export async function status(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  words(positionals)
  const place = findPlace(values)
  const service = await readiness(place)
  const account: Account = place.apiKey ? await readAccount(values) : { key: 'none given' }
  const isWell = service === 'ready' && account.key === 'accepted'
  if (values.json) printJson({ base_url: place.baseUrl, from: place.from, service, ...account })
  else {
    printFields([
      ['Address', `${place.baseUrl} (from ${place.from})`],
      ['Service', service],
      ['Key', account.key],
    ])
    if (account.price_trx !== undefined) {
      console.log(`You can spend ${trx(account.spendable_trx!)}.`)
      console.log(`${count(ENERGY)} Energy for 1 hour: ${trx(account.price_trx)}`)
    }
  }
  if (service === 'no answer') return NO_ANSWER
  return isWell ? WELL : NOT_WELL
}

async function readiness({ baseUrl }: Place): Promise<'ready' | 'not ready' | 'no answer'> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const url = `${new URL(baseUrl).origin}/readyz`
  const answer = await fetch(url, { signal }).catch(() => undefined)
  await answer?.body?.cancel()
  if (!answer) return 'no answer'
  return answer.ok ? 'ready' : 'not ready'
}

type Account = { key: string; balance_trx?: string; spendable_trx?: string; price_trx?: string }

async function readAccount(flags: Flags): Promise<Account> {
  const { ergon } = connect(flags)
  try {
    const { balance_trx, spendable_trx } = await ergon.account()
    const { total_price_trx } = await ergon.estimate(ENERGY)
    return { key: 'accepted', balance_trx, spendable_trx, price_trx: total_price_trx }
  } catch (error) {
    if (error instanceof ConnectionError) return { key: 'no answer' }
    if (error instanceof ApiError) return { key: `${error.message} (${error.code})` }
    throw error
  }
}
