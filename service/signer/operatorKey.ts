import { CannotStart, type Random } from '../kernel/index.ts'
import { isApprovalKey } from '../signing/index.ts'
import { openMnemonic, sealMnemonic, writeKeyFile } from './keyFile.ts'

/** An operator's approval key at rest: the same encrypted file as the signer's, with another content. */
const PREFIX = 'ed25519:'

export function createOperatorKey(path: string, passphrase: string, random: Random): string {
  const privateKey = Buffer.from(random.bytes(32)).toString('hex')
  writeKeyFile(path, sealMnemonic(PREFIX + privateKey, passphrase, random))
  return privateKey
}

export function openOperatorKey(text: string, passphrase: string): string {
  const opened = openMnemonic(text, passphrase)
  const privateKey = opened.slice(PREFIX.length)
  if (!opened.startsWith(PREFIX) || !isApprovalKey(privateKey)) {
    throw new CannotStart("That is not the file of an operator's key.")
  }
  return privateKey
}
