import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart, type Random } from '../kernel/index.ts'

const HEX = /^[0-9a-f]{64}$/i

/** The first key seals; the others only open, while one key takes over from another. */
export type SecretsKeys = { secretsKey: Uint8Array; otherSecretsKeys: Uint8Array[] }

/**
 * The keys of signing secrets, one a line. Where no file is named one key is made once, in the data
 * folder; several nodes need the same ones, so they name a file.
 */
export function readSecretsKeys(file: string, folder: string, random: Random): SecretsKeys {
  const path = file || join(folder, 'secrets.key')
  if (!file) makeOnce(path, random)
  const [first, ...others] = read(path)
    .split(/\s+/)
    .map((line) => {
      if (HEX.test(line)) return Buffer.from(line, 'hex')
      throw new CannotStart(`${path} does not hold 64 hex digits a line; set SECRETS_KEY_FILE.`)
    })
  return { secretsKey: first!, otherSecretsKeys: others }
}

function makeOnce(path: string, random: Random) {
  try {
    const handle = openSync(path, 'wx', 0o600)
    writeSync(handle, `${Buffer.from(random.bytes(32)).toString('hex')}\n`)
    fsyncSync(handle)
    closeSync(handle)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new CannotStart(`${path} cannot be read; set SECRETS_KEY_FILE.`)
  }
}
