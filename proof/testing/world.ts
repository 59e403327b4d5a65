import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@ergon/devnet'
import {
  SANDBOX_HOT_ADDRESS,
  SANDBOX_MNEMONIC_FILE,
  SANDBOX_STAKE,
  sandboxGenesis,
} from '../../service/app/sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from '../../service/app/sandboxOperators.ts'
import { readSettings, silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { createSignerFiles } from '../../service/signer/init.ts'
import { startSigner } from '../../service/signer.ts'
import { COMPILED } from './compiled.ts'
import { SOLID_LAG } from './solidLag.ts'

/** A devnet whose blocks come on request, or on a timer. */
export function openDevnet({ blockMs = 0, genesis = sandboxGenesis } = {}): Promise<Devnet> {
  return startDevnet({ genesis, blockMs, solidLag: SOLID_LAG })
}

export type TestSigner = { wake(): void; onSigned(react: () => void): void; stop(): Promise<void> }

const SANDBOX_KEYS = { SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE, SIGNER_STAKES: SANDBOX_STAKE }

/** A folder with the files of a signer for this devnet, with the sandbox's operators. */
export function signerFolder({ chain }: Devnet): string {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-signer-'))
  createSignerFiles(folder, {
    chain: chain.block(0)!.id,
    hot: SANDBOX_HOT_ADDRESS,
    keys: SANDBOX_OPERATORS.map(({ email, key }) => ({ operator: email, key })),
    now: Date.now(),
    isFirst: true,
  })
  return folder
}

/** Settings of a signer, beside the sandbox's keys. */
type SignerSettings = Record<string, string>
/** As that of a signer that runs beside its service. */
const LOOK_MS = 1_000

/** The signer in this process: loading it as a program takes longer than most tests. `settings` are added to the sandbox's keys. */
export async function openSigner(
  databaseUrl: string,
  settings: SignerSettings = {},
): Promise<TestSigner> {
  const signed = new EventEmitter()
  const { wake, stop } = await startSigner({
    settings: readSettings({ DATABASE_SIGNER_URL: databaseUrl, ...SANDBOX_KEYS, ...settings }),
    runtime: systemRuntime(),
    log: silentLog,
    everyMs: LOOK_MS,
    onSigned: () => signed.emit('signed'),
    onTaken(error) {
      throw error
    },
  })
  let stopped: Promise<void> | undefined
  return {
    wake,
    onSigned: (react) => signed.on('signed', react),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** The signer as a program of its own, where the process is what matters. */
export async function openSignerProgram(
  databaseUrl: string,
  settings: SignerSettings = {},
): Promise<TestSigner> {
  const child = fork(join(import.meta.dirname, '../../service/signer.ts'), {
    env: { ...COMPILED, DATABASE_SIGNER_URL: databaseUrl, ...SANDBOX_KEYS, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', () => reject(new Error('the signer did not start')))
  })
  return {
    wake: () => child.connected && child.send('wake'),
    onSigned: (react) => child.on('message', react),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}
