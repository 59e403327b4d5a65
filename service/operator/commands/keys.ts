import { CannotStart, environment, systemRandom } from '../../kernel/index.ts'
import { createKeyFile, openMnemonic, publicKeysOf, readSecret } from '../../signer/index.ts'
import type { Command } from '../command.ts'
import { parseOptions } from '../options.ts'

const USAGE = `Usage: npx ergon keys create --file FILE [--passphrase-file FILE]
       npx ergon keys show   --file FILE [--passphrase-file FILE]
The passphrase is read from a file (SIGNER_PASSPHRASE_FILE), never from the command line.`

export const keys: Command = {
  summary: 'Makes the encrypted key file of the signer (keys create), or shows its public part',
  run(args) {
    const { words, options } = parseOptions(args)
    try {
      // Nothing else is read: keys are made where the rest of the service may never run.
      const { SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE } = environment()
      const file = options.get('file') || SIGNER_KEY_FILE
      if (!file || !['create', 'show'].includes(words[0] ?? '')) throw new CannotStart(USAGE)
      const named = options.get('passphrase-file') || SIGNER_PASSPHRASE_FILE || ''
      const passphrase = readSecret(named, '--passphrase-file')
      const mnemonic = words[0] === 'create' ? create(file, passphrase) : open(file, passphrase)
      printPublic(mnemonic)
      return 0
    } catch (error) {
      console.error((error as Error).message)
      return 1
    }
  },
}

function create(file: string, passphrase: string): string {
  const mnemonic = createKeyFile(file, passphrase, systemRandom)
  console.log(`Write these words down, in order, on paper. They are shown this once.

  ${mnemonic}

The key file is ${file}.`)
  return mnemonic
}

function open(file: string, passphrase: string): string {
  return openMnemonic(readSecret(file, '--file'), passphrase)
}

function printPublic(mnemonic: string) {
  const { depositXpub, hot, stake, delegate } = publicKeysOf(mnemonic)
  console.log(`
DEPOSIT_XPUB=${depositXpub}
hot wallet    ${hot}
stake         ${stake}
delegate key  ${delegate}`)
}
