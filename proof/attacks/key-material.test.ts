import { fork } from 'node:child_process'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyAt } from '@ergon/tron'
import { expect, test } from 'vitest'
import { SANDBOX_MNEMONIC_FILE } from '../../service/main/sandboxNetwork.ts'
import { createTestDatabase } from '../testing/database.ts'
import { openDevnet, openSigner } from '../testing/world.ts'

// The process that serves the API holds no key: neither in its environment nor anywhere in its memory.

const REGION_BYTES_MAX = 256 * 1024 * 1024

test('the api process has no mnemonic and no private key in environment or memory', async () => {
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  const signer = await openSigner(database.url('ergon_signer'))
  const house = fork(join(import.meta.dirname, '../faults/mortalProcess.ts'), {
    env: { MORTAL_DATABASE: database.url('ergon_app'), MORTAL_NODE: devnet.url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  try {
    const { url } = await new Promise<{ url: string }>((ready) => {
      house.once('message', (message) => ready(message as { url: string }))
    })
    const answer = await fetch(`${url}/sandbox/accounts`, { method: 'POST' })
    const { api_key } = (await answer.json()) as { api_key: string }
    const found = keysIn(house.pid!, [...secrets(), Buffer.from(api_key)])
    // The client's own key was just answered, so it must be found: the search itself works.
    expect(found).toEqual([api_key])
    expect(readFileSync(`/proc/${house.pid}/environ`, 'utf8')).not.toMatch(/MNEMONIC|KEY/)
  } finally {
    house.kill('SIGKILL')
    await signer.stop()
    await devnet.close()
    await database.drop()
  }
})

/** The mnemonic, and the treasury's keys as text and as bytes. */
function secrets(): Buffer[] {
  const mnemonic = readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim()
  const keys = [0, 1].map((position) => privateKeyAt(mnemonic, position, 2))
  return [
    Buffer.from(mnemonic),
    ...keys.map((key) => Buffer.from(key)),
    ...keys.map((key) => Buffer.from(key, 'hex')),
  ]
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
