import { readFileSync } from 'node:fs'
import type { Sessions } from '../../identity/index.ts'
import { readLine } from '../options.ts'
import { EXIT, notUnderstood } from './told.ts'

const USAGE = `Usage: npx ergon operators add E-MAIL --password-file FILE
The password is read from a file, at least 10 characters, never from the command line.`

/** `npx ergon operators add`: somebody who may sign in at /operator. */
export async function runOperators(sessions: Sessions, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, email = ''] = line.words
  const file = line.option('password-file')
  if (verb !== 'add' || !/^[^@\s]+@[^@\s]+$/.test(email) || !file) return notUnderstood(USAGE)
  const password = readFileSync(file, 'utf8').trim()
  if (password.length < 10) {
    console.error('The password has at least 10 characters.')
    return EXIT.refused
  }
  if (!(await sessions.createOperator(email.toLowerCase(), password))) {
    console.error('Somebody has this e-mail address already.')
    return EXIT.refused
  }
  line.say({ email }, `${email} may sign in at /operator.`)
  return EXIT.done
}
