import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CannotStart } from '../kernel/index.ts'

/** Files of the signer's machine. Data is on the disk when a call returns. */

export function readOwnFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CannotStart(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Fails if the file exists. */
export function createOwnFile(path: string, text: string): void {
  try {
    writeSynced(path, text, 'wx')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CannotStart(
      code === 'EEXIST'
        ? `${path} exists and is not overwritten.`
        : `${path} cannot be written (${code}).`,
    )
  }
  syncFolder(path)
}

/** Atomic: a reader sees the old file or the new one, also after a crash. */
export function replaceOwnFile(path: string, text: string): void {
  const beside = `${path}.new`
  writeSynced(beside, text, 'w')
  renameSync(beside, path)
  syncFolder(path)
}

/** Fails if the file is missing: a lost file must not start again empty. */
export function appendToOwnFile(path: string, text: string): void {
  withFile(path, constants.O_WRONLY | constants.O_APPEND, (file) => {
    writeAll(file, text)
    fsyncSync(file)
  })
}

export function truncateOwnFile(path: string, bytes: number): void {
  withFile(path, 'r+', (file) => {
    ftruncateSync(file, bytes)
    fsyncSync(file)
  })
}

function writeSynced(path: string, text: string, flags: string) {
  withFile(path, flags, (file) => {
    writeAll(file, text)
    fsyncSync(file)
  })
}

function writeAll(file: number, text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function syncFolder(path: string) {
  withFile(dirname(path), 'r', fsyncSync)
}

function withFile(path: string, flags: string | number, work: (file: number) => void) {
  const file = openSync(path, flags, 0o600)
  try {
    work(file)
  } finally {
    closeSync(file)
  }
}
