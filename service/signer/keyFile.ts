import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import {
  addressOfPrivateKey,
  extendedPublicKey,
  generateMnemonic,
  privateKeyAt,
  toBase58,
} from '@ergon/tron'
import { CannotStart, type Random } from '../kernel/index.ts'
import { replaceOwnFile } from './ownFile.ts'

/** Deposit keys derive from account 1' of the mnemonic, treasury keys from 2'; 0' is never used. */
export const DEPOSIT_ACCOUNT = 1
export const TREASURY_ACCOUNT = 2
export const POSITIONS = { hot: 0, stake: 1, delegate: 2 } as const

/**
 * The encrypted file: the mnemonic under AES-256-GCM, with a key from the passphrase by scrypt. The
 * costs are in the file and authenticated by GCM, so that they can be raised later and not lowered by
 * an attacker.
 */
type KeyFile = {
  version: 1
  kdf: { name: 'scrypt'; n: number; r: number; p: number; salt: string }
  cipher: { name: 'aes-256-gcm'; iv: string; tag: string; text: string }
}

const COST = { n: 2 ** 16, r: 8, p: 1 }
const COST_N_MIN = 2 ** 15
/** Files with a higher cost are refused as foreign. */
const COST_N_MAX = 2 ** 20
const PASSPHRASE_LENGTH_MIN = 12

export function sealMnemonic(mnemonic: string, passphrase: string, random: Random): string {
  if (passphrase.length < PASSPHRASE_LENGTH_MIN) {
    throw new CannotStart(`The passphrase needs ${PASSPHRASE_LENGTH_MIN} characters or more.`)
  }
  const salt = Buffer.from(random.bytes(32)).toString('hex')
  const kdf = { name: 'scrypt', ...COST, salt } as const
  const iv = Buffer.from(random.bytes(12))
  const cipher = createCipheriv('aes-256-gcm', keyFrom(passphrase, kdf), iv)
  cipher.setAAD(authenticated(kdf))
  const text = Buffer.concat([cipher.update(mnemonic, 'utf8'), cipher.final()]).toString('hex')
  const tag = cipher.getAuthTag().toString('hex')
  const file: KeyFile = {
    version: 1,
    kdf,
    cipher: { name: 'aes-256-gcm', iv: iv.toString('hex'), tag, text },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Throws the same error for a wrong passphrase and for a changed file. */
export function openMnemonic(text: string, passphrase: string): string {
  const { kdf, cipher } = parse(text)
  try {
    const key = keyFrom(passphrase, kdf)
    const iv = Buffer.from(cipher.iv, 'hex')
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
    decipher.setAAD(authenticated(kdf))
    decipher.setAuthTag(Buffer.from(cipher.tag, 'hex'))
    const opened = decipher.update(Buffer.from(cipher.text, 'hex'))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    throw new CannotStart('The key file does not open: wrong passphrase, or the file was changed.')
  }
}

function keyFrom(passphrase: string, { n, r, p, salt }: KeyFile['kdf']): Buffer {
  // Node's default limit of 32 MiB would refuse even the least cost.
  const maxmem = 256 * n * r
  return scryptSync(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, {
    N: n,
    r,
    p,
    maxmem,
  })
}

function authenticated({ name, n, r, p, salt }: KeyFile['kdf']): Buffer {
  return Buffer.from(`ergon key file 1 ${name} ${n} ${r} ${p} ${salt}`)
}

function parse(text: string): KeyFile {
  const file = parseJson(text)
  if (file?.version !== 1) throw new CannotStart('This is not a key file of version 1.')
  const { kdf, cipher } = file
  const { n, r, p } = kdf ?? {}
  const isCost = Number.isInteger(n) && n >= COST_N_MIN && n <= COST_N_MAX && r === 8 && p === 1
  if (kdf?.name !== 'scrypt' || cipher?.name !== 'aes-256-gcm' || !isCost) {
    throw new CannotStart('The key file names a cipher or a cost that the signer does not accept.')
  }
  return file
}

function parseJson(text: string): KeyFile | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Creates keys in a new encrypted file, which is on the disk before the mnemonic is shown. */
export function createKeyFile(path: string, passphrase: string, random: Random): string {
  const mnemonic = generateMnemonic()
  writeKeyFile(path, sealMnemonic(mnemonic, passphrase, random))
  return mnemonic
}

/** Makes the file from the words on paper. The words go into no error message. */
export function importKeyFile(
  path: string,
  words: string,
  { passphrase, random }: { passphrase: string; random: Random },
): string {
  const mnemonic = words.trim().toLowerCase().split(/\s+/).join(' ')
  try {
    publicKeysOf(mnemonic)
  } catch {
    throw new CannotStart(
      'These are not the words of a mnemonic: a word is wrong, missing or in another place.',
    )
  }
  writeKeyFile(path, sealMnemonic(mnemonic, passphrase, random))
  return mnemonic
}

/** Seals the file under another passphrase. A crash leaves the old file or the new one. */
export function changePassphrase(
  path: string,
  of: { passphrase: string; next: string; random: Random },
): void {
  const content = openMnemonic(readSecret(path, '--file'), of.passphrase)
  const sealed = sealMnemonic(content, of.next, of.random)
  // Read back before the old file is gone.
  if (openMnemonic(sealed, of.next) !== content) throw new CannotStart('The file was not changed.')
  replaceOwnFile(path, sealed)
}

/** Refuses to overwrite a file: the money of its keys would be lost. */
export function writeKeyFile(path: string, sealed: string) {
  const file = openNew(path)
  try {
    writeSync(file, sealed)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw new CannotStart(
      exists
        ? `${path} exists and is not overwritten: its keys may hold money.`
        : `${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

export function readSecret(path: string, setting: string): string {
  try {
    // Strip only the line break: a passphrase may begin or end with a space.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new CannotStart(`${path || '(no file)'} cannot be read; set ${setting}.`)
  }
}

/** The public part of the keys. */
export type PublicKeys = { depositXpub: string; hot: string; stake: string; delegate: string }

export function publicKeysOf(mnemonic: string): PublicKeys {
  const address = (position: number) =>
    toBase58(addressOfPrivateKey(privateKeyAt(mnemonic, position, TREASURY_ACCOUNT)))
  return {
    depositXpub: extendedPublicKey(mnemonic, DEPOSIT_ACCOUNT),
    hot: address(POSITIONS.hot),
    stake: address(POSITIONS.stake),
    delegate: address(POSITIONS.delegate),
  }
}
