// Proves: db.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@ergon/devnet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestApp, send } from '../testing/app.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { descendantsOf, isAlive, type Program, startProgram, untilUp } from '../testing/program.ts'
import { until } from '../testing/until.ts'

// During a deploy the previous release runs on this release's schema, beside processes of this
// release.

const ROOT = join(import.meta.dirname, '../..')
const release = lastRelease()
const ENERGY = 65_000

type Release = { name: string; commit: string }

/** The last row of docs/operating/releases.md, if this checkout has that part of the history. */
function lastRelease(): Release | undefined {
  const text = readFileSync(join(ROOT, 'docs/operating/releases.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| ([\da-f]{40}) \|/gm)]
  const [, name = '', commit = ''] = rows.at(-1)!
  try {
    const type = execFileSync('git', ['cat-file', '-t', commit], { cwd: ROOT, stdio: 'pipe' })
    return type.toString().trim() === 'commit' ? { name, commit } : undefined
  } catch {
    return undefined
  }
}

/** Unpacks the release with its own workspaces and the packages installed here. */
function unpack({ commit }: Release, folder: string) {
  mkdirSync(join(folder, 'node_modules/@ergon'), { recursive: true })
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C "${folder}"`], { cwd: ROOT })
  // Building its pages takes half a minute, and it starts without them.
  rmSync(join(folder, 'web/build.ts'))
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name === '@ergon' || name === 'ergon' || name === '.cache') continue
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync(join(ROOT, 'node_modules/@ergon'))) {
    symlinkSync(join(folder, name), join(folder, 'node_modules/@ergon', name))
    const own = join(ROOT, name, 'node_modules')
    if (existsSync(own)) symlinkSync(own, join(folder, name, 'node_modules'))
  }
}

let folder: string
let database: TestDatabase
let program: Program | undefined
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ergon-upgrade-'))
  database = await createTestDatabase()
})
afterEach(async () => {
  if (program?.isRunning()) {
    const family = descendantsOf(program.pid)
    program.kill('SIGKILL')
    await program.ended
    for (const relative of family) if (isAlive(relative)) process.kill(relative.pid, 'SIGKILL')
  }
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

if (!release) console.log('SKIPPED upgrade: this checkout does not have the last release')

test.runIf(release)(
  'the last release buys, delivers and credits on the schema of this one, beside it',
  async () => {
    unpack(release!, join(folder, 'release'))
    // Without the administrator's URL: an old process must not install its old functions again.
    const env = {
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: database.url('ergon_app'),
      DATABASE_SIGNER_URL: database.url('ergon_signer'),
    }
    program = startProgram({ env, root: join(folder, 'release') })
    const old = await untilUp(program, env.DATA_DIR)
    const ask = (method: string, path: string, options = {}) =>
      send(old.web_url, method, path, options)
    const { body: account } = await ask('POST', '/sandbox/accounts', {
      body: { deposit_trx: '100' },
    })
    const key = account.api_key
    await until('the deposit', async () => {
      const { body } = await ask('GET', '/v1/account', { key })
      return body.balance_trx === '100'
    })
    const { body: sink } = await ask('POST', '/sandbox/webhook-sink')
    const hook = { name: 'shop', url: sink.url }
    expect((await ask('POST', '/v1/webhooks', { key, body: hook })).status).toBe(201)
    const purchase = { receiver_address: receiver(old), resource_amount: ENERGY }
    const headers = { 'idempotency-key': 'once' }
    const wish = { key, headers, body: purchase }
    const bought = await until('a purchase', async () => {
      const answer = await ask('POST', '/v1/buy', wish)
      return answer.status === 200 && answer
    })
    const path = `/v1/order/${bought.body.order_id}`
    const delivered = await until('COMPLETED', async () => {
      const answer = await ask('GET', path, { key })
      expect(answer.body.status).not.toBe('FAILED')
      return answer.body.status === 'COMPLETED' && answer
    })
    await until('the event', async () => {
      const { body } = await ask('GET', `/sandbox/webhook-sink/${sink.id}`)
      return JSON.stringify(body).includes(bought.body.order_id)
    })

    const devnet = { url: old.devnet_url } as Devnet
    // The last release does not notice changes by ergon_api.
    const databaseUrls = [database.url('ergon_app')]
    const app = await openTestApp({ database, devnet, role: 'api', databaseUrls })
    try {
      const replay = await app.call('POST', '/v1/buy', wish)
      expect([replay.text, replay.headers.get('idempotency-replayed')]).toEqual([
        bought.text,
        'true',
      ])
      expect((await app.call('GET', path, { key })).text).toBe(delivered.text)
      // The other direction: what this release writes, the last one reads, delivers and replays.
      const next = { ...wish, headers: { 'idempotency-key': 'twice' } }
      const second = await until('a purchase of the new one', async () => {
        const answer = await app.call('POST', '/v1/buy', next)
        return answer.status === 200 && answer
      })
      expect((await ask('POST', '/v1/buy', next)).text).toBe(second.text)
      await until('COMPLETED by the old one', async () => {
        const answer = await ask('GET', `/v1/order/${second.body.order_id}`, { key })
        return answer.body.status === 'COMPLETED'
      })
    } finally {
      await app.close()
    }
    expect(await brokenInvariants(database)).toEqual([])
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  },
  240_000,
)

/** An activated address on its chain. */
function receiver({ funded_keys }: { funded_keys: { address: string }[] }): string {
  return funded_keys[3]!.address
}
