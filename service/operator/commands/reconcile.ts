import type { Deposits, Reconciliation } from '../../deposits/index.ts'
import { formatTrx } from '../../kernel/index.ts'
import { readLine } from '../options.ts'

/** `npx ergon reconcile`: compares our money on the chain with what we owe. Exit code 1 for a shortage. */
export async function runReconcile(deposits: Deposits, args: string[] = []): Promise<number> {
  const { look, reconcile } = deposits.reconciling()
  await look()
  const result = await reconcile()
  readLine(args).say(result, table(result))
  return result.surplus < 0n ? 1 : 0
}

function table(result: Reconciliation): string {
  const { depositAddresses, hot, floats, clients, escrow, notVerified, surplus } = result
  const { count, onChain, booked } = depositAddresses
  const rows: [string, bigint][] = [
    [`on ${count} deposit addresses (solid)`, onChain],
    ['  of it in our books', booked],
    ['on the hot wallet (solid)', hot],
    ["clients' balances", -clients],
    ['price of orders under way', -escrow],
    ['credit not yet verified', notVerified],
    [surplus < 0n ? 'SHORT' : 'surplus', surplus],
    ['apart: prepaid at providers', floats],
  ]
  const lines = rows.map(([what, amount]) => `${what.padEnd(34)}${trx(amount).padStart(24)} TRX`)
  if (result.unsteady) {
    lines.push('Blocks became solid during the reading, or the scanner is behind; run it again.')
  }
  return lines.join('\n')
}

/** Always six decimals, so that the decimal points align. */
function trx(amount: bigint): string {
  const [whole, fraction = ''] = formatTrx(amount).split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}
