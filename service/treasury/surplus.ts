import { formatTrx } from '../kernel/index.ts'
import type { Asking } from './asking.ts'
import { surplusOf } from './forecast.ts'
import type { ReadingOf } from './reading.ts'
import { LEAST_TRANSFER, type Settings } from './settings.ts'

const NEED = { kind: 'surplus', provider: null } as const

/** Sends what the hot wallet has above its ceiling to the cold address, one transfer at a time. */
export function createSurplus(deps: { settings: Settings; asking: Asking; reading: ReadingOf }) {
  const { settings, asking, reading } = deps
  return async function sendSurplus(): Promise<boolean> {
    const set = await settings.hotWallet()
    if (!set?.enabled) return asking.wait(NEED, undefined)
    // The last one is looked at before the chain is.
    const objection = await asking.objection(NEED)
    if (objection) return asking.wait(NEED, objection)
    const read = await reading.read()
    if ('hold' in read) return asking.wait(NEED, read.hold)
    const { amount: wanted } = surplusOf({ ...read, ...set }, read.forecast)
    if (wanted < LEAST_TRANSFER) return asking.wait(NEED, undefined)
    const left = await asking.left(set.cold)
    if (left === undefined) return asking.wait(NEED, `${set.cold} is no destination of the signer`)
    const amount = wanted < left ? wanted : left
    if (amount < LEAST_TRANSFER) {
      return asking.wait(NEED, `the signer's cap of ${set.cold} leaves ${formatTrx(left)} TRX now`)
    }
    await asking.wait(NEED, undefined)
    return asking.ask({ need: NEED, to: set.cold, amount, of: read })
  }
}
