// Proves: orders, ledger, delivery, deposits, chain, db.
import { expect, test } from 'vitest'
import { stretched } from '../testing/stretched.ts'
import { runChaos } from './chaos/chaos.ts'

// Two of each process and a signer, two database servers, every kind of fault once, under load:
// every acknowledged purchase exists once, with the same bytes. `npm run prove` runs the long form.

test(
  'every kind of fault once: nothing acknowledged is lost or doubled',
  async () => {
    const lines: string[] = []
    const report = await runChaos({
      seed: Number(process.env.CHAOS_SEED ?? 1),
      accounts: 12,
      trx: 3_000,
      perSecond: 12,
      perSecondAtKill: 80,
      readers: 3,
      answers: 0,
      orders: 0,
      seconds: 0,
      terminations: 10,
      purchasesBetween: 5,
      report: (line) => void lines.push(line),
    }).catch((error) => {
      console.log(lines.join('\n'))
      throw error
    })
    const { violations, ...figures } = report
    console.log(
      [
        ...lines,
        JSON.stringify({ ...figures, energyForNothing: String(figures.energyForNothing) }),
      ].join('\n'),
    )
    expect(violations).toEqual([])
    expect(report.completed).toBeGreaterThan(0)
    expect(report.completed + report.refunded).toBe(report.acknowledged)
  },
  stretched(300_000),
)
