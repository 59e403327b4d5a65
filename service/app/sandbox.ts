import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { base32 } from '@better-auth/utils/base32'
import { isRefusal } from '@ergon/contract'
import { type Log, sun } from '../kernel/index.ts'
import { createDevnetControl } from '../sandbox-api/index.ts'
import type { App } from './app.ts'
import { DEMO } from './demo.ts'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'
import { untilReady } from './sandboxReady.ts'

/** The content of `sandbox.json`, which the start also prints. */
export type SandboxFile = {
  base_url: string
  web_url: string
  pay_page_url: string
  sandbox_url: string
  devnet_url: string
  accounts: DemoAccount[]
  /** The first of them. */
  operator: SandboxOperator
  /** Both, with the keys by which they approve payouts; the sandbox's signer knows them. */
  operators: SandboxOperator[]
  funded_keys: { address: string; private_key: string }[]
  usdt_contract: string
}

type SandboxOperator = {
  email: string
  password: string
  /** For an authenticator app, in base 32. */
  totp_secret: string
  approval_key: string
  approval_private_key: string
}

type DemoAccount = {
  name: string
  email: string
  password: string
  api_key: string
  deposit_address: string
}

const OPERATORS = SANDBOX_OPERATORS.map(({ email, totpSecret, key, privateKey }) => ({
  email,
  password: DEMO.password,
  totp_secret: base32.encode(totpSecret, { padding: false }),
  approval_key: key,
  approval_private_key: privateKey,
}))
const DEMO_DEPOSIT = sun(1_000_000_000n)

/**
 * Writes the file when the sandbox is ready for a first order. Keys are stored as hashes, so the file is
 * the only place of the demo account's key. `isAlone`: this process does all the work of the service.
 */
export async function describeSandbox(
  app: App,
  place: { folder: string; devnetUrl: string; isAlone: boolean; log: Log },
): Promise<SandboxFile> {
  const { folder, devnetUrl, isAlone, log } = place
  const path = join(folder, 'sandbox.json')
  const devnet = createDevnetControl(devnetUrl)
  const { funded_keys, usdt_contract } = await devnet.keys()
  const demo = (await earlierDemo(app, path)) ?? (await newDemo(app))
  if (demo.id) {
    await devnet.transfer(funded_keys.at(-1)!.address, demo.account.deposit_address, DEMO_DEPOSIT)
    await devnet.mine(1)
    await signUpDemo(app)
  }
  const deposited = demo.id ? { account: demo.id, amount: DEMO_DEPOSIT } : undefined
  const lack = isAlone ? await untilReady(app, deposited) : undefined
  if (lack) log.warn('sandbox_not_ready', { missing: lack })
  const file: SandboxFile = {
    base_url: `${app.url}/v1`,
    web_url: app.url,
    pay_page_url: `${app.url}/pay`,
    sandbox_url: `${app.url}/sandbox`,
    devnet_url: devnetUrl,
    accounts: [demo.account],
    operator: OPERATORS[0]!,
    operators: OPERATORS,
    funded_keys,
    usdt_contract,
  }
  // Write a new file and rename it: a reader sees the old file or the new one.
  writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return file
}

async function earlierDemo({ rooms }: App, path: string) {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as SandboxFile
    const [account] = file.accounts
    const known = await rooms.authenticator.accountOf(account?.api_key)
    const hasPeople = account?.email !== undefined && file.operators?.[0]?.totp_secret !== undefined
    const isWhole = hasPeople && !isRefusal(known)
    return isWhole ? { account, id: undefined } : undefined
  } catch {
    return undefined
  }
}

async function newDemo({ rooms }: App) {
  const login = { login: DEMO.email, name: 'demo', referralCode: '' }
  const account = await rooms.accounts.ofLogin(login)
  const { apiKey } = await rooms.accounts.createKey(account, { name: 'sandbox.json' })
  const deposit_address = await rooms.addresses.depositAddressOf(account)
  const signIn = DEMO
  return { account: { name: 'demo', ...signIn, api_key: apiKey, deposit_address }, id: account }
}

/** Creates the sandbox's users; existing ones are not changed. */
async function signUpDemo({ workspace, console }: App) {
  if (!workspace) return
  const demo = { ...DEMO, name: 'demo', referralCode: '' }
  await workspace.sessions.signUp({}, demo)
  for (const { email, totpSecret } of SANDBOX_OPERATORS) {
    await console?.sessions.createOperator(email, DEMO.password, { totpSecret })
  }
}
