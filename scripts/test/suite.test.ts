import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, test } from 'vitest'
import { stretched } from '../../proof/testing/stretched.ts'
import { until } from '../../proof/testing/until.ts'
import { ROOT } from './layers.ts'
import type { Slowdown } from './slowdown.ts'
import { runSuite } from './suite.ts'

// Inside node_modules, so that the files find Vitest and git does not find them.
const folder = mkdtempSync(join(ROOT, 'node_modules', '.runner-'))
const scratch = mkdtempSync(join(tmpdir(), 'ergon-runner-'))
afterAll(() => {
  for (const each of [folder, scratch]) rmSync(each, { recursive: true, force: true })
})

/** The silence that ends a file here, instead of five minutes. */
const SILENCE_SECONDS = stretched(3_000) / 1_000

function fixture(name: string, lines: string[]): string {
  const imports = [
    "import { expect, test } from 'vitest'",
    "import { spawn } from 'node:child_process'",
  ]
  writeFileSync(join(folder, name), [...imports, ...lines].join('\n'))
  return name
}

const config = join(folder, 'vitest.config.mjs')
const worker = join(ROOT, 'proof/testing/worker.ts')
// As vitest.config.ts has it: files share processes.
const shared = { pool: 'forks', maxWorkers: 3, isolate: false }
const settings = {
  root: folder,
  test: { include: ['*.test.mjs'], setupFiles: [worker], ...shared },
}
writeFileSync(config, `export default ${JSON.stringify(settings)}`)

async function run(files: string[], factor = 1) {
  const file = join(scratch, `slowdown-${factor}`)
  writeFileSync(file, String(factor))
  const slowdown: Slowdown = { factor, file, measureAgain: async () => {} }
  const result = await runSuite(files, {
    scratch,
    slowdown,
    silenceSeconds: SILENCE_SECONDS,
    vitest: ['--config', config],
    quiet: true,
  })
  return { ...result, ended: result.ended.map((path) => basename(path)).sort() }
}

const fine = (name: string) => fixture(name, ["test('is fine', () => expect(1).toBe(1))"])
/** A part of the silence that would end the file. */
const waitFor = (part: number) =>
  `await new Promise((go) => setTimeout(go, ${SILENCE_SECONDS * part * 1_000}))`

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

test.concurrent('a file that hangs is ended and named, with what it started, and the rest goes on', async ({
  expect,
}) => {
  const busy = fixture('busy.test.mjs', ["test('never ends', () => { for (;;) {} })"])
  const pidFile = join(scratch, 'pid')
  const waiting = fixture('waiting.test.mjs', [
    "import { writeFileSync } from 'node:fs'",
    `writeFileSync('${pidFile}', String(spawn('sleep', ['600']).pid))`,
    "test('is never reached', () => {})",
    'await new Promise(() => {})',
  ])
  const { green, ended, counts } = await run([busy, waiting, fine('fine.test.mjs')])
  expect({ green, ended }).toEqual({ green: false, ended: [busy, waiting] })
  expect(counts.passed).toBe(1)
  const started = Number(readFileSync(pidFile, 'utf8'))
  await until('what it started to be gone', () => !isAlive(started))
})

test.concurrent('a file that is slow and alive is not ended', async ({ expect }) => {
  const slow = fixture('slow.test.mjs', [
    `for (const n of [1, 2, 3]) test('step ' + n, async () => { ${waitFor(0.5)} })`,
    `test('prints while it works', async () => {`,
    `  for (const n of [1, 2, 3]) { ${waitFor(0.5)}; console.log('part', n) }`,
    `})`,
  ])
  const { green, ended, counts } = await run([slow])
  expect({ green, ended, passed: counts.passed }).toEqual({ green: true, ended: [], passed: 4 })
})

test.concurrent('a slow machine has as much more patience', async ({ expect }) => {
  const silent = fixture('silent.test.mjs', [
    `test('says nothing for long', async () => { ${waitFor(1.7)} })`,
  ])
  expect(await run([silent])).toMatchObject({ green: false, ended: [silent] })
  expect(await run([silent], 3)).toMatchObject({ green: true, ended: [] })
})

test.concurrent('a failed file is told with what it said', async ({ expect }) => {
  const red = fixture('red.test.mjs', ["test('adds up', () => expect(1 + 1).toBe(3))"])
  const { green, failed, counts } = await run([red, fine('fine.test.mjs')])
  expect({ green, counts }).toEqual({ green: false, counts: { passed: 1, failed: 1, skipped: 0 } })
  expect(failed.map(({ file }) => basename(file))).toEqual([red])
  expect(failed[0]!.output).toContain('adds up')
  expect(failed[0]!.output).toContain('expected 2 to be 3')
})
