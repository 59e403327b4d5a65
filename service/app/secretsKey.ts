import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart, type Random } from '../kernel/index.ts'

const HEX = /^[0-9a-f]{64}$/i

/**
 * The key that seals signing secrets. Where none is named it is made once, in the data folder; several
 * nodes need the same one, so they name a file.
 */
export function readSecretsKey(file: string, folder: string, random: Random): Uint8Array {
  const path = file || join(folder, 'secrets.key')
  if (!file) makeOnce(path, random)
  const text = read(path)
  if (!HEX.test(text)) {
    throw new CannotStart(`${path} does not hold 64 hex digits; set SECRETS_KEY_FILE.`)
  }
  return Buffer.from(text, 'hex')
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
