import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeSandbox, type SandboxFile } from '../../service/app/sandbox.ts'
import { silentLog } from '../../service/kernel/index.ts'
import { bundledErgon } from './bundled.ts'
import { COMPILED } from './compiled.ts'
import { type Market, openMarket } from './market.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')

export type Ran = { code: number; out: string; err: string }

/**
 * A running sandbox that sells, and the working folder of its client, with `.data/sandbox.json`.
 */
export type SandboxFolder = {
  market: Market
  file: SandboxFile
  folder: string
  /** Runs a program in the folder, with `ergon` on its path, and waits for its end. */
  run(command: string, args: string[], env?: Record<string, string>): Promise<Ran>
  /** Starts a program without waiting for its end. */
  start(command: string, args: string[]): Running
  close(): Promise<void>
}

export type Running = {
  /** One line to its standard input. */
  write(line: string): void
  /** Ends its standard input. */
  endInput(): void
  out(): string
  err(): string
  stop(signal: NodeJS.Signals): void
  ended: Promise<number | NodeJS.Signals>
}

export async function openSandboxFolder(): Promise<SandboxFolder> {
  const market = await openMarket({ blockMs: 200 })
  const folder = mkdtempSync(join(tmpdir(), 'ergon-client-'))
  mkdirSync(join(folder, '.data'))
  const file = await describeSandbox(market, {
    folder: join(folder, '.data'),
    devnetUrl: market.devnet.url,
    isAlone: true,
    log: silentLog,
  })
  const own = { PATH: `${BIN}:${process.env.PATH}`, XDG_CONFIG_HOME: join(folder, 'config') }
  const options = { cwd: folder, env: { ...COMPILED, ...own, TZ: 'Asia/Tokyo' } }
  const bundled = await bundledErgon()
  const lineOf = (command: string, args: string[]): [string, string[]] =>
    command === 'ergon' ? [process.execPath, [bundled, ...args]] : [command, args]
  return {
    market,
    file,
    folder,
    run: (command, args, env = {}) =>
      new Promise((resolve) => {
        const all = { ...options, env: { ...options.env, ...env } }
        execFile(...lineOf(command, args), all, (error, out, err) => {
          resolve({ code: error ? Number(error.code) : 0, out, err })
        })
      }),
    start(command, args) {
      const child = spawn(...lineOf(command, args), { ...options, stdio: 'pipe' })
      let out = ''
      let err = ''
      child.stdout.on('data', (chunk) => {
        out += chunk
      })
      child.stderr.on('data', (chunk) => {
        err += chunk
      })
      return {
        write: (line) => void child.stdin.write(`${line}\n`),
        endInput: () => void child.stdin.end(),
        out: () => out,
        err: () => err,
        stop: (signal) => void child.kill(signal),
        ended: new Promise((resolve) => {
          child.once('close', (code, signal) => resolve(code ?? signal!))
        }),
      }
    },
    async close() {
      await market.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
