import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressDeriver } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_DEPOSIT_XPUB } from '../service/app/sandboxNetwork.ts'
import { createTestDatabase } from './testing/database.ts'
import {
  asWritten,
  buildImage,
  type Image,
  lockedPackages,
  megabytesOf,
  withoutInstalling,
} from './testing/image.ts'
import { startProgram } from './testing/program.ts'
import { until } from './testing/until.ts'
import { openWire } from './testing/wire.ts'
import { openDevnet } from './testing/world.ts'

// The Dockerfile without a container engine: its steps in plain folders. Here packages come from this checkout;
// `npm run prove -- --only image` lets npm install them.

const MINUTES = 240_000
const MEGABYTES_MAX = 300
const isRoot = process.getuid!() === 0
const place = mkdtempSync(join(tmpdir(), 'ergon-image-'))
let image: Image
beforeAll(() => {
  image = buildImage(
    place,
    process.env.ERGON_IMAGE === 'as-written' ? asWritten : withoutInstalling,
  )
}, MINUTES * 2)
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A command in the image, as its user where the tests may change users. */
function run([program, ...args]: string[], env: Record<string, string> = {}) {
  const file = program === 'node' ? process.execPath : program!
  const { PATH } = process.env
  return spawnSync(file, args, {
    cwd: image.folder,
    env: { PATH, ...image.env, ...env },
    encoding: 'utf8',
    ...(isRoot && image.user),
  })
}

test('it is smaller than 300 MB beside its base image', () => {
  const megabytes = megabytesOf(image.folder)
  console.log(`image: ${Math.round(megabytes)} MB beside its base image`)
  expect(megabytes).toBeGreaterThan(50)
  expect(megabytes).toBeLessThan(MEGABYTES_MAX)
})

test('it has no package of development, no test, no key and no setting', () => {
  const unwanted = lockedPackages().filter(
    ([, { dev, optional, link }]) => (dev || optional) && !link,
  )
  expect(unwanted.length).toBeGreaterThan(100)
  expect(unwanted.filter(([path]) => existsSync(join(image.folder, path)))).toEqual([])
  const sources = globSync('{cli,contract,devnet,sdk,service,tron,web}/**/*.test.ts', {
    cwd: image.folder,
  })
  expect(sources.filter((path) => !path.includes('node_modules'))).toEqual([])
  const named = [
    '.npmrc',
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'data',
    'signer',
    'node_modules',
  ]
  const folders = ['cli', 'contract', 'devnet', 'docs', 'scripts', 'sdk', 'service', 'tron', 'web']
  expect(readdirSync(image.folder).sort()).toEqual([...named, ...folders].sort())
})

test.runIf(isRoot)('its user is not root and writes to two folders only', () => {
  expect(image.user.uid).toBeGreaterThan(0)
  const touch = (path: string) => run(['touch', join(path, 'a-file')]).status
  expect(['data', 'signer'].map(touch)).toEqual([0, 0])
  expect(['.', 'service', 'node_modules', 'web/dist/pay'].map(touch)).toEqual([1, 1, 1, 1])
})

test('its packages are complete, and its commands and the signer run', () => {
  expect(run(['node', 'scripts/bootstrap.mjs', '--pages'])).toMatchObject({ status: 0, stderr: '' })
  expect(run(['node', 'cli/ergon.ts', 'help']).stdout).toContain('migrate')
  const signer = run(['node', 'service/signer.ts'])
  expect(signer).toMatchObject({ status: 1, stderr: 'Set DATABASE_SIGNER_URL.\n' })
})

test(
  'the service starts from it in production, shows its pages, and the health check follows it',
  async () => {
    const database = await createTestDatabase()
    const first = addressDeriver(SANDBOX_DEPOSIT_XPUB)(0)
    await database.sql('insert into signing.deposit_root (first_address) values ($1)', [first])
    const devnet = await openDevnet({ blockMs: 200 })
    // The socket of the tests' server is for its own user; containers come by TCP anyway.
    const own = new URL(database.url('ergon_api'))
    const wire = await openWire(join(own.searchParams.get('host')!, '.s.PGSQL.5432'))
    const env = {
      ...image.env,
      HOST: '127.0.0.1',
      PORT: '0',
      ROLE: 'api',
      WEB_URL: 'https://energy.example',
      DATABASE_API_URL: `postgresql://ergon_api@127.0.0.1:${wire.port}${own.pathname}`,
      TRON_URL: devnet.url,
      DEPOSIT_XPUB: SANDBOX_DEPOSIT_XPUB,
    }
    const [, ...args] = image.command
    const program = startProgram({ env, root: image.folder, args, ...(isRoot && image.user) })
    try {
      const url = await until(
        'the service to listen',
        () => {
          if (!program.isRunning()) throw new Error(program.complaints())
          return /listens on (http:\S+\d)\.$/m.exec(program.output())?.[1]
        },
        MINUTES,
      )
      const { port: PORT } = new URL(url)
      expect(run(image.health, { PORT }).status).toBe(0)
      const page = await fetch(`${url}/sign-in`)
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      program.kill('SIGTERM')
      expect(await program.ended).toBe(0)
      expect(run(image.health, { PORT }).status).toBe(1)
    } finally {
      program.kill('SIGKILL')
      await program.ended
      wire.close()
      await devnet.close()
      await database.drop()
    }
  },
  MINUTES,
)
