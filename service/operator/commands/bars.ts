import type { AutoEnergy } from '../../autoenergy/index.ts'
import { liftBar } from '../bars.ts'
import type { Operator } from '../operator.ts'
import { idIn, readLine, saidBy } from '../options.ts'
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
  if (verb !== 'lift') return notUnderstood('bars')
  idIn(id, "The bar's id")
  const { who, why } = saidBy(line)
  const lifted = await liftBar({ autoenergy, actions: operator.actions }, { id, who, why })
  return printResponse(lifted, (bar) => line.say(bar, `The bar of ${bar.address} is lifted.`))
}
