import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { CannotStart, type Settings } from '../kernel/index.ts'
import type { MarketplaceName } from '../providers/index.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Node's compile cache, which makes the next start faster; it may be deleted at any time. */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'ergon')
const START_MS_MAX = 15_000
const STOP_MS_MAX = 5_000

export type Child = {
  /** The first message, sent when it is ready. */
  first: unknown
  send(message: string): void
  onMessage(react: (message: unknown) => void): void
  stop(): Promise<void>
}

type Program = {
  name: string
  path: string
  env: Record<string, string>
  /** Options of Node, beside those that we run with ourselves. */
  flags?: string[]
  onExit(code: number): void
}

/**
 * Starts a program of ours as a child. It has its own process group, so that Ctrl-C reaches only us, and
 * it exits when the channel to us closes, also when we were killed.
 */
export async function startChild({ name, path, env, flags = [], onExit }: Program): Promise<Child> {
  const child = fork(join(ROOT, path), {
    cwd: ROOT,
    detached: true,
    execArgv: [...process.execArgv, ...flags],
    // The child does not inherit our environment.
    env: { ...env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const first = await firstMessage(child, name)
  let stopping = false
  child.once('exit', (code) => {
    if (!stopping) onExit(code ?? 1)
  })
  return {
    first,
    send: (message) => child.connected && child.send(message),
    onMessage: (react) => child.on('message', react),
    async stop() {
      stopping = true
      await stopChild(child)
    },
  }
}

function firstMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (how: string) => reject(new CannotStart(`The ${name} ${how}.`))
    const timer = setTimeout(() => fail(`was not ready in ${START_MS_MAX / 1000} s`), START_MS_MAX)
    child.once('exit', () => fail('did not start; its message is above'))
    child.once('message', (message) => {
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve(message)
    })
  })
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/** The ready message of a devnet. */
export type DevnetReady = {
  url: string
  /** The two ports that answer as those of a node do. */
  node: { url: string; solidity_url: string }
  /** Id of block 0, which approvals of payouts name. */
  genesis_id: string
  telegram: { url: string; token: string }
  marketplaces: {
    name: MarketplaceName
    url: string
    control_url: string
    key: string
    secret: string
  }[]
}

/** Stand-ins run beside the chain, each under the key that our own adapters show them. */
const marketplaces: MarketplaceName[] = ['catfee', 'itrx', 'tronsave', 'tronzap']

export function devnetProgram(settings: Settings, folder: string, genesis: string) {
  return {
    name: 'devnet',
    path: 'devnet/chain/main.ts',
    env: {
      DEVNET_PORT: String(settings.DEVNET_PORT),
      BLOCK_MS: String(settings.BLOCK_MS),
      SOLID_LAG: String(settings.SOLID_LAG),
      DEVNET_NODE_PORTS: '0,0',
      DATA_DIR: join(folder, 'devnet'),
      DEVNET_GENESIS: genesis,
      MARKETPLACES: marketplaces.join(','),
    },
  }
}

/** The signer opens its key file itself; we pass only file names. */
export function signerProgram(settings: Settings, databaseUrls: readonly string[]) {
  const passedOn = [
    'MODE',
    'SIGNER_KEY_FILE',
    'SIGNER_PASSPHRASE_FILE',
    'SIGNER_MNEMONIC_FILE',
    'SIGNER_DIR',
    'SIGNER_HOURLY_TRX_MAX',
    'SIGNER_DAILY_TRX_MAX',
    'SIGNER_HOURLY_SWEEP_TRX_MAX',
    'SIGNER_DAILY_SWEEP_TRX_MAX',
    'SIGNER_HOURLY_PAYOUT_TRX_MAX',
    'SIGNER_DAILY_PAYOUT_TRX_MAX',
    'SIGNER_HOURLY_STAKE_TRX_MAX',
    'SIGNER_DAILY_STAKE_TRX_MAX',
    'LOG_LEVEL',
  ] as const
  return {
    name: 'signer',
    path: 'service/signer.ts',
    // A small young generation: the signer handles a few transactions a second.
    flags: ['--min-semi-space-size=1', '--max-semi-space-size=1'],
    env: {
      ...Object.fromEntries(passedOn.map((name) => [name, String(settings[name] ?? '')])),
      SIGNER_STAKES: settings.SIGNER_STAKES.join(','),
      DATABASE_SIGNER_URL: databaseUrls.join(','),
    },
  }
}
