import { CannotStart, environment, systemRandom } from '../../kernel/index.ts'
import { createKeyFile, openMnemonic, publicKeysOf, readSecret } from '../../signer/index.ts'
import type { Command } from '../command.ts'
import { type Line, readLine } from '../options.ts'
import { usage, usageOf } from './usage.ts'

export const keys: Command = {
  summary: 'Makes the encrypted key file of the signer (keys create), or shows its public part',
  usage: usage.keys,
  run(args) {
    const line = readLine(args)
    const { words, option } = line
    try {
      // Read only these settings: keys are made on a machine where the service never runs.
      const { SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE } = environment()
      const file = option('file') || SIGNER_KEY_FILE
      if (!file || !['create', 'show'].includes(words[0] ?? ''))
        throw new CannotStart(usageOf('keys'))
      const named = option('passphrase-file') || SIGNER_PASSPHRASE_FILE || ''
      const passphrase = readSecret(named, '--passphrase-file')
      if (words[0] === 'create') create(line, file, passphrase)
      else print(line, openMnemonic(readSecret(file, '--file'), passphrase))
      return 0
    } catch (error) {
      console.error((error as Error).message)
      return 1
    }
  },
}

function create(line: Line, file: string, passphrase: string) {
  const mnemonic = createKeyFile(file, passphrase, systemRandom)
  print(line, mnemonic, { file, mnemonic })
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
