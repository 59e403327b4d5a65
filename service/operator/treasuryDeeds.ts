import { refuse } from '@ergon/contract'
import { formatTrx } from '../kernel/index.ts'
import type { FloatWish, HotWalletWish, TransferView, Treasury } from '../treasury/index.ts'
import type { Actions } from './actions.ts'

type Said = { who: string; why: string }
type Deps = { treasury: Treasury; actions: Actions }
type Answer<T> = T | { refused: string }

/** Changes of the treasury by people, at the console and by commands: each with its reason in the log. */
export function createTreasuryDeeds({ treasury, actions }: Deps) {
  const { settings } = treasury

  function perform<T extends object>(
    what: string,
    subject: string,
    { who, why }: Said,
    work: () => Promise<Answer<T>>,
  ) {
    return actions.perform({ who, what, subject, why }, async () => {
      const done = await work()
      if ('refused' in done) return refuse('validation_error', { message: done.refused })
      return { reply: done as T, change: { ...(done as Record<string, unknown>) } }
    })
  }

  return {
    setHotWallet: (wish: HotWalletWish, said: Said) =>
      perform('set_hot_wallet', 'treasury', said, () => settings.setHotWallet(wish, said)),
    turnHotWallet: (enabled: boolean, said: Said) =>
      perform(enabled ? 'hot_wallet_on' : 'hot_wallet_off', 'treasury', said, () =>
        settings.turnHotWallet(enabled, said),
      ),
    setFloat: (provider: string, wish: FloatWish, said: Said) =>
      perform('set_float', provider, said, () => settings.setFloat(provider, wish, said)),
    turnFloat: (provider: string, enabled: boolean, said: Said) =>
      perform(enabled ? 'float_on' : 'float_off', provider, said, () =>
        settings.turnFloat(provider, enabled, said),
      ),
    decide: (
      id: string,
      as: 'arrived' | 'lost' | 'wait',
      credited: bigint | undefined,
      said: Said,
    ) =>
      perform('decide_top_up', id, said, () =>
        treasury.decide(
          id,
          as === 'arrived' && credited !== undefined ? { as, credited } : { as },
          said,
        ),
      ),
  }
}

/** Rows of the forecast's arithmetic, in TRX, for the command and the console. */
export function forecastLines({
  days,
  payouts,
  topUps,
  fees,
  sweeps,
  requested,
  net,
}: {
  days: number
  payouts: bigint
  topUps: bigint
  fees: bigint
  sweeps: bigint
  requested: bigint
  net: bigint
}): { what: string; trx: string }[] {
  const average = `average of ${days} ${days === 1 ? 'day' : 'days'}`
  return [
    { what: `Payouts, ${average}`, trx: formatTrx(payouts) },
    { what: `Top-ups, ${average}`, trx: formatTrx(topUps) },
    { what: `Fees, ${average}`, trx: formatTrx(fees) },
    { what: 'Payouts that wait for approval', trx: formatTrx(requested) },
    { what: `Sweeps, ${average}`, trx: formatTrx(-sweeps) },
    { what: 'Needed in the next 24 hours', trx: formatTrx(net) },
  ]
}

/** One transfer in words. */
export function transferLine({ kind, provider, to, amount, step, trouble }: TransferView): string {
  const what = kind === 'surplus' ? `surplus to ${to}` : `top-up of ${provider}`
  return `${formatTrx(amount)} TRX, ${what}: ${step}${trouble ? ` (${trouble})` : ''}`
}
