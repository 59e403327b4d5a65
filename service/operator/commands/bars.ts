import type { AutoEnergy } from '../../autoenergy/index.ts'
import { liftBar } from '../bars.ts'
import type { Operator } from '../operator.ts'
import { readLine } from '../options.ts'
import { notUnderstood, printResponse } from './response.ts'

type Rooms = { autoenergy: AutoEnergy; operator: Operator }

/** `npx ergon bars …`: addresses that AutoEnergy does not cover because others used their Energy. */
export async function runBars({ autoenergy, operator }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  if (verb === 'list') {
    const rows = await autoenergy.bars.list()
    const text = rows.map(({ id: bar, account, address, energy, until, liftedAt }) => {
      const end = liftedAt ? `lifted ${liftedAt.toISOString()}` : `until ${until.toISOString()}`
      return `${bar}  ${address}  account ${account}  ${energy} Energy  ${end}`
    })
    line.say(rows, text.length > 0 ? text.join('\n') : 'No address is barred.')
    return 0
  }
  const [who, why] = [line.option('by'), line.option('why')]
  if (verb !== 'lift' || id === '' || who === '' || why.trim().length < 3) {
    return notUnderstood('bars')
  }
  const lifted = await liftBar({ autoenergy, actions: operator.actions }, { id, who, why })
  return printResponse(lifted, (bar) => line.say(bar, `The bar of ${bar.address} is lifted.`))
}
