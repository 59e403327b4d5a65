import { refuse } from '@ergon/contract'
import type { Operator } from '../operator.ts'
import { readLine, saidBy, Unclear } from '../options.ts'
import type { Switch } from '../switches.ts'
import { notUnderstood, printResponse } from './response.ts'

/** `npx ergon switches …`: lists and sets kill switches. All processes obey at once. */
export async function runSwitches(operator: Operator, args: string[]): Promise<number> {
  const line = readLine(args)
  const { actions, switches } = operator
  const [verb, name = ''] = line.words
  if (verb === undefined || verb === 'list') {
    const all = await switches.list()
    line.say(all, all.map(textOf).join('\n'))
    return 0
  }
  if (verb !== 'on' && verb !== 'off') return notUnderstood('switches')
  if (name === '') throw new Unclear('The name of the switch is missing.')
  const { who, why } = saidBy(line)
  const find = async () => (await switches.list()).find((one) => one.name === name)
  const before = await find()
  const result = await actions.perform({ who, what: 'switch', subject: name, why }, async () => {
    const enabled = verb === 'on'
    const objection = switches.objectionTo(name, enabled)
    if (objection) return refuse('validation_error', { message: objection })
    if (!(await switches.set(name, enabled, `${who}: ${why}`))) {
      return refuse('not_found', { message: `There is no switch ${name}.` })
    }
    const after = (await find())!
    return { reply: after, change: { before: before?.enabled, after: after.enabled } }
  })
  return printResponse(result, (one) => line.say(one, textOf(one)))
}

function textOf({ name, enabled, reason, stops }: Switch): string {
  return `${(enabled ? 'on' : 'OFF').padEnd(4)}${name.padEnd(22)}${reason || stops}`
}
