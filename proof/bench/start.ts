import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Suite, spread } from './row.ts'

// npm run bench -- start
// `npm start` on an existing data folder, from the command until sandbox.json is written.

const ROUNDS = 5
const START_MS_MAX = 120_000
const LOOK_MS = 5
const ROOT = join(import.meta.dirname, '../..')

export const measureStart: Suite = async ({ rounds = ROUNDS, tell }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  try {
    const first = await startOnce(folder)
    const seconds: number[] = []
    for (let round = 0; round < rounds; round++) {
      seconds.push(await startOnce(folder))
      tell(`round ${round + 1}/${rounds}  npm start: ${seconds.at(-1)!.toFixed(2)} s`)
    }
    return {
      rows: [
        {
          figure: 'npm start, second time, from the command to sandbox.json',
          unit: 's',
          ...spread(seconds),
          must: 3,
          aim: 1.5,
          atMost: true,
        },
      ],
      remarks: [`The first npm start, on an empty folder, took ${first.toFixed(1)} s.`],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOnce(folder: string): Promise<number> {
  const before = stampOf(folder)
  const began = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: folder,
      PORT: '0',
      DEVNET_PORT: '0',
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    while (stampOf(folder) === before) {
      const elapsedMs = performance.now() - began
      if (npm.exitCode !== null || elapsedMs > START_MS_MAX) throw new Error('it did not start')
      await sleep(LOOK_MS)
    }
    return (performance.now() - began) / 1_000
  } finally {
    await stop(npm)
  }
}

/** The file is replaced by a rename, so a new one has another stamp. */
function stampOf(folder: string): string | undefined {
  const found = statSync(join(folder, 'sandbox.json'), { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mtimeMs}`
}

/** npm passes the signal on and ends when the service has ended. */
function stop(npm: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (npm.exitCode !== null || npm.signalCode !== null) return resolve()
    npm.once('exit', () => resolve())
    npm.kill('SIGTERM')
  })
}
