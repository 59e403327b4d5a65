import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '@ergon/contract'
import type { House } from './house.ts'

/** What the sandbox prints and leaves in `sandbox.json`, for people and for scripts. */
export type SandboxFile = {
  base_url: string
  web_url: string
  sandbox_url: string
  devnet_url: string
  accounts: { name: string; api_key: string; deposit_address: string }[]
}

/** Keys are stored as hashes, so the demo account's key survives only in the file itself. */
export async function describeSandbox(house: House, folder: string): Promise<SandboxFile> {
  const path = join(folder, 'sandbox.json')
  const demo = (await earlierDemo(house, path)) ?? (await newDemo(house))
  const file: SandboxFile = {
    base_url: `${house.url}/v1`,
    web_url: house.url,
    sandbox_url: `${house.url}/sandbox`,
    devnet_url: '',
    accounts: [demo],
  }
  // Written beside and renamed: a reader sees the whole file or the old one.
  writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return file
}

async function earlierDemo({ rooms }: House, path: string) {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as SandboxFile
    const [demo] = file.accounts
    const account = await rooms.authenticator.accountOf(demo?.api_key)
    return isRefusal(account) ? undefined : demo
  } catch {
    return undefined
  }
}

async function newDemo({ rooms }: House) {
  const { apiKey } = await rooms.accounts.create('demo')
  return { name: 'demo', api_key: apiKey, deposit_address: '' }
}
