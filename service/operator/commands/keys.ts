import { createInterface } from 'node:readline'
import { environment, systemRandom } from '../../kernel/index.ts'
import {
  changePassphrase,
  createKeyFile,
  importKeyFile,
  openMnemonic,
  publicKeysOf,
  readSecret,
} from '../../signer/index.ts'
import type { Command } from '../command.ts'
import { type Line, readLine } from '../options.ts'
import { EXIT, notUnderstood } from './response.ts'
import { forUsAlone } from './secretFile.ts'
import { troubleOf } from './troubleOf.ts'
import { usage } from './usage.ts'

type Given = { line: Line; file: string; passphrase: string }

const VERBS: Record<string, (given: Given) => void | Promise<void>> = {
  create: ({ line, file, passphrase }) => {
    const mnemonic = createKeyFile(file, passphrase, systemRandom)
    print(line, mnemonic, { file, mnemonic })
  },
  show: ({ line, file, passphrase }) =>
    print(line, openMnemonic(readSecret(forUsAlone(file), '--file'), passphrase)),
  async import({ line, file, passphrase }) {
    const words = await typedWords()
    print(line, importKeyFile(file, words, { passphrase, random: systemRandom }))
  },
  passphrase({ line, file, passphrase }) {
    const next = readSecret(forUsAlone(line.option('new-passphrase-file')), '--new-passphrase-file')
    changePassphrase(file, { passphrase, next, random: systemRandom })
    line.say({ file }, `${file} opens with the new passphrase, and with no other.`)
  },
}

export const keys: Command = {
  summary: 'The encrypted key file of the signer: create, import, show, passphrase',
  usage: usage.keys,
  async run(args) {
    const line = readLine(args)
    const { words, option } = line
    try {
      // Read only these settings: keys are made on a machine where the service never runs.
      const { SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE } = environment()
      const file = option('file') || SIGNER_KEY_FILE
      const verb = VERBS[words[0] ?? '']
      // Words on the command line are in the shell's history: never accepted.
      if (!verb || words.length > 1) return notUnderstood('keys')
      if (!file) return notUnderstood('keys', 'Say which file: --file FILE, or SIGNER_KEY_FILE.')
      const named = option('passphrase-file') || SIGNER_PASSPHRASE_FILE || ''
      await verb({ line, file, passphrase: readSecret(forUsAlone(named), '--passphrase-file') })
      return 0
    } catch (error) {
      console.error(troubleOf(error))
      return EXIT.refused
    }
  },
}

/** One line from standard input. */
async function typedWords(): Promise<string> {
  console.error('Type the words on paper, in order, with spaces between them:')
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

/** The mnemonic is printed only when it was just created. */
function print(line: Line, mnemonic: string, made?: { file: string; mnemonic: string }) {
  const keys = publicKeysOf(mnemonic)
  const words =
    made &&
    `Write these words down, in order, on paper. They are shown this once.

  ${made.mnemonic}

The key file is ${made.file}.
`
  const { depositXpub, hot, stake, delegate } = keys
  const text = `${words ?? ''}
DEPOSIT_XPUB=${depositXpub}
hot wallet    ${hot}
stake         ${stake}
delegate key  ${delegate}`
  line.say({ ...made, ...keys }, text)
}
