import { toBase58 } from '@ergon/tron'
import type { Db } from '../../db/index.ts'
import { formatTrx, type Runtime } from '../../kernel/index.ts'
import { type OutflowRow, openOutflows, readSwitch, turnSigningOn } from '../../signing/index.ts'
import { readLine, saidBy } from '../options.ts'
import { EXIT, notUnderstood } from './response.ts'

/** `npx ergon signer [show|on]`: with the signer's own database role, on its machine. */
export async function runSigning(
  signer: { db: Db; runtime: Runtime },
  args: string[],
): Promise<number> {
  const line = readLine(args)
  const [verb = 'show'] = line.words
  if (verb === 'on') {
    const { who: by, why } = saidBy(line)
    const seen = line.option('seen').split(',')
    const unseen = await turnSigningOn(signer, { why, by, seen })
    const text = ['Signing stays off. Look at these, then name them: --seen TXID,TXID']
    if (unseen.length > 0) console.error([...text, ...unseen.map(textOfOutflow)].join('\n'))
    else line.say({ enabled: true }, 'Signing is on.')
    return unseen.length > 0 ? EXIT.refused : EXIT.done
  }
  if (verb !== 'show') return notUnderstood('signer')
  const [[turned], outflows] = await Promise.all([
    signer.db.query(readSwitch),
    signer.db.query(openOutflows),
  ])
  const { enabled, reason } = turned!
  const state = enabled ? 'Signing is on.' : `Signing is OFF: ${reason}`
  line.say({ enabled, reason, outflows }, [state, ...outflows.map(textOfOutflow)].join('\n'))
  return EXIT.done
}

/** One finding in one line, with what recovery made of it. */
export function textOfOutflow(outflow: OutflowRow): string {
  const { txid, address, to, amount, contract, block, bookedAs } = outflow
  const where = block === null ? 'in an orphaned block' : `in block ${block}`
  const made = bookedAs === null ? '' : `; booked: ${bookedAs}`
  const receiver = to === null ? '' : ` to ${toBase58(to)}`
  return `${txid} ${contract} of ${formatTrx(amount)} TRX from ${toBase58(address)}${receiver}, ${where}${made}`
}
