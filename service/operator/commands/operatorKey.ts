import { readFileSync } from 'node:fs'
import { CannotStart, systemRandom } from '../../kernel/index.ts'
import { createOperatorKey, openOperatorKey, readSecret } from '../../signer/index.ts'
import { publicKeyOf, signText } from '../../signing/index.ts'
import type { Command } from '../command.ts'
import { type Line, readLine, Unclear } from '../options.ts'
import { EXIT, notUnderstood } from './response.ts'
import { forUsAlone } from './secretFile.ts'
import { troubleOf } from './troubleOf.ts'
import { usage } from './usage.ts'

/** `npx ergon operator-key …`: an operator's own key, on the operator's own machine. */
export const operatorKey: Command = {
  summary: "An operator's key for approvals: create, show, sign what a file says",
  usage: usage['operator-key'],
  run(args) {
    const line = readLine(args)
    const [verb = '', textFile = ''] = line.words
    if (!['create', 'show', 'sign'].includes(verb)) return notUnderstood('operator-key')
    if (verb === 'sign' && textFile === '') throw new Unclear('TEXT_FILE is missing.')
    for (const name of ['file', 'passphrase-file']) {
      if (line.option(name) === '') throw new Unclear(`--${name} is missing.`)
    }
    try {
      if (verb === 'sign') sign(line, textFile)
      else show(line, verb === 'create' ? create(line) : readOperatorKey(line))
      return 0
    } catch (error) {
      console.error(troubleOf(error))
      return EXIT.refused
    }
  },
}

function create(line: Line): string {
  const passphrase = readSecret(forUsAlone(line.option('passphrase-file')), '--passphrase-file')
  return createOperatorKey(line.option('file'), passphrase, systemRandom)
}

/** The private key in the file that --file (or another option) names. */
export function readOperatorKey(line: Line, option = 'file'): string {
  const passphrase = readSecret(forUsAlone(line.option('passphrase-file')), '--passphrase-file')
  return openOperatorKey(readSecret(forUsAlone(line.option(option)), `--${option}`), passphrase)
}

function show(line: Line, privateKey: string) {
  const key = publicKeyOf(privateKey)
  line.say({ key }, key)
}

/** Prints the text before signing it. */
function sign(line: Line, textFile: string) {
  const text = readFileSync(textFile, 'utf8')
  if (!/^Ergon (payout approval|signer change) 1\n/.test(text)) {
    throw new CannotStart('That is neither an approval of a payout nor a change of the signer.')
  }
  const privateKey = readOperatorKey(line)
  const [key, signature] = [publicKeyOf(privateKey), signText(text, privateKey)]
  line.say({ text, key, signature }, `${text}${key}:${signature}`)
}
