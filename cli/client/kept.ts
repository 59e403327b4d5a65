import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Unusable } from './unusable.ts'

/** What one `ergon login` keeps. */
export type Login = { base_url: string; api_key: string }

/** The user's configuration folder. A relative XDG_CONFIG_HOME is ignored, as its specification says. */
function folder(): string {
  const named = process.env.XDG_CONFIG_HOME ?? ''
  return join(isAbsolute(named) ? named : join(homedir(), '.config'), 'ergon')
}

export const keptPath = (name: string) => join(folder(), `${name}.json`)

export function readKept<T>(name: string): T | undefined {
  const path = keptPath(name)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Unusable(`${path} cannot be read as JSON. Remove it, then sign in again.`)
  }
}

/** Readable by its owner alone: it holds secrets. A new file and a rename, so that no reader sees half of it. */
export function keep(name: string, value: unknown): string {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const path = keptPath(name)
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return path
}

/** Whether there was something to remove. */
export function forget(name: string): boolean {
  const isThere = readKept(name) !== undefined
  rmSync(keptPath(name), { force: true })
  return isThere
}
