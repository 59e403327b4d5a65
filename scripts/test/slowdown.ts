// How much slower this machine is, right now, than the one the time limits of the tests were chosen on.
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** What one round takes on the reference machine: two quiet cores, a disk that syncs in 0.12 ms. */
const REFERENCE_MS = 390
const ROUNDS = 3
const SYNCS = 200
/** Beyond this the limits would hide a hang for an hour. */
const SLOWDOWN_MAX = 10

/** Hashing and a busy map: native code, allocation and garbage collection, about 370 ms. */
const PROCESSOR_WORK = `
  const { createHash } = require('node:crypto')
  const block = Buffer.alloc(1 << 20)
  const hash = createHash('sha256')
  for (let i = 0; i < 200; i++) hash.update(block)
  const map = new Map()
  for (let i = 0; i < 1_500_000; i++) map.set(i % 5_000, String(i))
  require('node:worker_threads').parentPort.postMessage(map.size)
`

/** At least 1, with one decimal: 2 means that the same work takes twice as long here. */
export async function measureSlowdown(count = ROUNDS): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < count; round++) rounds.push(await timeOneRound())
  const median = rounds.toSorted((a, b) => a - b)[Math.floor(count / 2)]!
  return Math.min(SLOWDOWN_MAX, Math.max(1, Math.round((median / REFERENCE_MS) * 10) / 10))
}

async function timeOneRound(): Promise<number> {
  const began = performance.now()
  // Two at once, because two test files run at once: on one core that takes twice as long.
  await Promise.all([processorWork(), processorWork()])
  syncWork()
  return performance.now() - began
}

function processorWork(): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(PROCESSOR_WORK, { eval: true })
    worker.once('error', reject).once('exit', () => resolve())
  })
}

function syncWork(): void {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-sync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const block = Buffer.alloc(8_192)
  for (let i = 0; i < SYNCS; i++) {
    writeSync(file, block)
    fsyncSync(file)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
}

/** The factor of a run. Test processes read its file each time a wait gets long (proof/testing/stretched.ts). */
export type Slowdown = { factor: number; file: string; measureAgain(): Promise<void> }

export async function openSlowdown(folder: string): Promise<Slowdown> {
  let before = 1
  const slowdown: Slowdown = {
    factor: 1,
    file: join(folder, 'slowdown'),
    /** Never lowered: a test that began in a slow minute keeps the time it was promised. */
    async measureAgain() {
      // One round: three would take a twentieth of the processor time of the tests.
      const now = await measureSlowdown(1)
      // Twice in a row: one bad second is no slow machine, and would stretch all waits of an hour.
      slowdown.factor = Math.max(slowdown.factor, Math.min(before, now))
      before = now
      writeFileSync(slowdown.file, String(slowdown.factor))
    },
  }
  slowdown.factor = await measureSlowdown()
  writeFileSync(slowdown.file, String(slowdown.factor))
  return slowdown
}
