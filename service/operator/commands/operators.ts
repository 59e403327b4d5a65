import { readFileSync } from 'node:fs'
import { refuse } from '@ergon/contract'
import type { Operators } from '../../identity/index.ts'
import type { Actions } from '../actions.ts'
import { type Line, readLine } from '../options.ts'
import { EXIT, notUnderstood, told } from './told.ts'

type Deps = { operators: Operators; actions: Actions }

/** `npx ergon operators …`: who may sign in at /operator. */
export async function runOperators(deps: Deps, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, email = ''] = line.words
  if (verb === 'list') return list(deps, line)
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return notUnderstood('operators')
  if (verb === 'remove') {
    return perform(deps, line, 'remove_operator', async () =>
      (await deps.operators.remove(email.toLowerCase()))
        ? `${email} is signed out and cannot sign in at /operator any more.`
        : refuse('not_found', { message: 'No operator has this e-mail address.' }),
    )
  }
  const file = line.option('password-file')
  if (verb !== 'add' || !file) return notUnderstood('operators')
  const password = readFileSync(file, 'utf8').trim()
  if (password.length < 10) {
    console.error('The password has at least 10 characters.')
    return EXIT.refused
  }
  return perform(deps, line, 'add_operator', async () =>
    (await deps.operators.add(email.toLowerCase(), password))
      ? `${email} may sign in at /operator.`
      : refuse('validation_error', { message: 'Somebody has this e-mail address already.' }),
  )
}

async function list({ operators }: Deps, line: Line): Promise<number> {
  const all = await operators.list()
  const text = all.map(({ email, secondStep, createdAt }) => {
    const step = secondStep ? 'with a second step' : 'password only'
    return `${email}  since ${createdAt.toISOString().slice(0, 10)}, ${step}`
  })
  line.say(all, text.join('\n'))
  return EXIT.done
}

/** Written down like everything that changes something; who has a shell may leave the name out. */
async function perform(
  { actions }: Deps,
  line: Line,
  what: string,
  work: () => Promise<string | ReturnType<typeof refuse>>,
): Promise<number> {
  const subject = line.words[1]!.toLowerCase()
  const said = line.option('why').trim()
  const [who, why] = [line.option('by') || 'command line', said.length >= 3 ? said : 'not said']
  const result = await actions.perform({ who, what, subject, why }, async () => {
    const done = await work()
    return typeof done === 'string' ? { reply: done, change: {} } : done
  })
  return told(result, (text) => line.say({ email: subject }, text))
}
