import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Unusable } from './unusable.ts'

/** The parts of `sandbox.json` that commands use. */
export type SandboxFile = {
  base_url: string
  web_url: string
  sandbox_url: string
  accounts: { api_key: string; email: string; password: string }[]
}

/** The file of the sandbox of this folder, if there is one. */
export function readSandbox(): (SandboxFile & { path: string }) | undefined {
  const path = findSandboxFile()
  if (path === undefined) return undefined
  try {
    return { ...JSON.parse(readFileSync(path, 'utf8')), path }
  } catch {
    throw new Unusable(`${path} cannot be read as JSON. Start the sandbox again, or give --url.`)
  }
}

/** In DATA_DIR; without it in `.data` of this folder or of one above it. */
function findSandboxFile(): string | undefined {
  const named = process.env.DATA_DIR
  if (named)
    return existsSync(join(named, 'sandbox.json')) ? join(named, 'sandbox.json') : undefined
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    const path = join(folder, '.data', 'sandbox.json')
    if (existsSync(path) && isOurs(path)) return path
    if (dirname(folder) === folder) return undefined
  }
}

/** Somebody else's file in a shared folder could name an address that our TRX would be sent to. */
function isOurs(path: string): boolean {
  const user = process.getuid?.()
  return user === undefined || user === 0 || statSync(path).uid === user
}
