// Proves: signer, signing.
import { fork } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyAt } from '@ergon/tron'
import { expect, test } from 'vitest'
import { SANDBOX_MNEMONIC_FILE } from '../../service/app/sandboxNetwork.ts'
import { systemRandom } from '../../service/kernel/index.ts'
import { sealMnemonic, writeKeyFile } from '../../service/signer/keyFile.ts'
import { COMPILED } from '../testing/compiled.ts'
import { createTestDatabase } from '../testing/database.ts'
import { openDevnet, openSignerProgram } from '../testing/world.ts'

// The API process holds no private key: neither in its environment nor anywhere in its memory.

const REGION_BYTES_MAX = 256 * 1024 * 1024

const PASSPHRASE = 'only the signer reads this'

/** The signer with an encrypted key file, as in production. */
function encryptedKeys(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-keys-'))
  const SIGNER_KEY_FILE = join(folder, 'keys.json')
  const SIGNER_PASSPHRASE_FILE = join(folder, 'passphrase')
  const mnemonic = readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim()
  writeKeyFile(SIGNER_KEY_FILE, sealMnemonic(mnemonic, PASSPHRASE, systemRandom))
  writeFileSync(SIGNER_PASSPHRASE_FILE, PASSPHRASE, { mode: 0o600 })
  return { SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE, SIGNER_MNEMONIC_FILE: '' }
}

test('the api process has no mnemonic, private key or passphrase in environment, files or memory', async () => {
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  const signer = await openSignerProgram(database.url('ergon_signer'), encryptedKeys())
  const app = fork(join(import.meta.dirname, '../faults/mortalProcess.ts'), {
    env: { ...COMPILED, MORTAL_DATABASE: database.url('ergon_app'), MORTAL_NODE: devnet.url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  try {
    const { url } = await new Promise<{ url: string }>((ready) => {
      app.once('message', (message) => ready(message as { url: string }))
    })
    const answer = await fetch(`${url}/sandbox/accounts`, { method: 'POST' })
    const { api_key } = (await answer.json()) as { api_key: string }
    const found = keysIn(app.pid!, [...secrets(), Buffer.from(api_key)])
    // The client's own key was just answered, so it must be found: this shows that the search
    // works.
    expect(found).toEqual([api_key])
    expect(readFileSync(`/proc/${app.pid}/environ`, 'utf8')).not.toMatch(/MNEMONIC|KEY|PASSPHRASE/)
    const files = openFilesOf(app.pid!)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => /mnemonic|passphrase|keys\.json/i.test(file))).toEqual([])
  } finally {
    app.kill('SIGKILL')
    await signer.stop()
    await devnet.close()
    await database.drop()
  }
})

/** The mnemonic, its passphrase, and the treasury's and a deposit's keys as text and as bytes. */
function secrets(): Buffer[] {
  const mnemonic = readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim()
  const treasury = [0, 1, 2].map((position) => privateKeyAt(mnemonic, position, 2))
  const keys = [...treasury, privateKeyAt(mnemonic, 0, 1)]
  return [
    Buffer.from(mnemonic),
    Buffer.from(PASSPHRASE),
    ...keys.map((key) => Buffer.from(key)),
    ...keys.map((key) => Buffer.from(key, 'hex')),
  ]
}

function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      // Closed while we read it.
      return []
    }
  })
}

function keysIn(pid: number, wanted: Buffer[]): string[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const found = new Set<string>()
  try {
    for (const [start, size] of writableRegions(pid)) {
      const bytes = Buffer.alloc(size)
      try {
        readSync(memory, bytes, 0, size, start)
      } catch {
        continue
      }
      for (const secret of wanted) if (bytes.includes(secret)) found.add(secret.toString())
    }
  } finally {
    closeSync(memory)
  }
  return [...found]
}

function writableRegions(pid: number): [start: number, size: number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
    if (!match) return []
    const start = Number.parseInt(match[1]!, 16)
    const size = Number.parseInt(match[2]!, 16) - start
    return size <= REGION_BYTES_MAX ? [[start, size]] : []
  })
}
