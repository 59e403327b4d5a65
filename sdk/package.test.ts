import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'ergon-package-'))
const installed = join(folder, 'node_modules/@ergon/sdk')
let tarball: string

beforeAll(() => {
  // As it is published: plain `npm pack` in the folder of the package.
  run('npm', ['pack', '--silent', '--offline', '--pack-destination', folder], join(ROOT, 'sdk'))
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', tarball])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: string[], cwd = folder): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The repository's Node, and the one installed on the machine. */
const nodes = [process.execPath, machineNode()].filter((path) => path !== undefined)

function machineNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders
    .filter((place) => !place.includes('node_modules'))
    .map((place) => join(place, 'node'))
    .find((path) => existsSync(path))
}

const work = `
const signed = await signWebhook({ secret: 's', event: { type: 'a', data: { a_sun: 1n } } })
const event = await verifyWebhook({ ...signed, secret: 's' })
const answer = async () => new Response('{"balance_trx":"1","x_sun":9007199254740993}')
const account = await new Ergon({ baseUrl: 'http://x/v1', fetch: answer }).account()
const code = await new Ergon({ baseUrl: 'http://x/v1', fetch: async () => new Response('{"detail":"Order not found"}', { status: 404 }) })
  .order('x').catch((error) => error.code)
console.log(process.version.split('.')[0], event.data.a_sun, account.x_sun, code)
`

test.each(nodes)('installed into an empty folder it works under %s', (node) => {
  const names = 'Ergon, signWebhook, verifyWebhook'
  writeFileSync(join(folder, 'a.mjs'), `import { ${names} } from '@ergon/sdk'\n${work}`)
  const required = `const { ${names} } = require('@ergon/sdk')\n;(async () => {${work}})()`
  writeFileSync(join(folder, 'b.cjs'), required)
  const version = run(node, ['-p', 'process.version']).split('.')[0]
  const output = `${version} 1n 9007199254740993n order_not_found\n`
  expect([run(node, ['a.mjs']), run(node, ['b.cjs'])]).toEqual([output, output])
})

test('both Node 20 and Node 24 were tried', () => {
  const versions = nodes.map((node) => run(node, ['-p', 'process.versions.node']).split('.')[0])
  expect(versions).toEqual(expect.arrayContaining(['24']))
  if (!versions.includes('20')) console.warn(`no Node 20 on this machine, only ${versions}`)
})

test('it brings nothing along and needs nothing', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('private')
  expect(readdirSync(join(folder, 'node_modules/@ergon'))).toEqual(['sdk'])
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json'])
  for (const name of readdirSync(join(installed, 'dist'))) {
    const text = readFileSync(join(installed, 'dist', name), 'utf8')
    expect([name, /@ergon\/contract|typebox|node:/.test(text)]).toEqual([name, false])
  }
})

test('inside the repository it has the same name and version', () => {
  const [outside, inside] = ['sdk', 'sdk/source'].map((place) => {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, place, 'package.json'), 'utf8'))
    return { name, version }
  })
  expect(inside).toEqual(outside)
})

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true })
  expect(messages).toEqual([])
})

test('its types resolve for every way of importing it', async () => {
  const data = new Uint8Array(readFileSync(tarball))
  const result = await checkPackage(createPackageFromTarballData(data))
  expect(result.types && result.problems).toEqual([])
})

test("the types that were written out are the contract's", () => {
  const source = readFileSync(join(ROOT, 'sdk/wire.ts'), 'utf8')
  const names = [...source.matchAll(/^export type (\w+)/gm)].map(([, name]) => name)
  const same = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
type Flat<T> = T extends readonly (infer I)[] ? Flat<I>[] : T extends object ? { [K in keyof T]: Flat<T[K]> } : T
import type * as Packed from '@ergon/sdk'
import type * as Source from '${join(ROOT, 'sdk/wire.ts')}'`
  const checks = names.map(
    (name) => `export const ${name}: Same<Flat<Packed.${name}>, Flat<Source.${name}>> = true`,
  )
  writeFileSync(join(folder, 'same.ts'), [same, ...checks].join('\n'))
  const tsconfig = { extends: join(ROOT, 'tsconfig.json'), include: ['same.ts'] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const config = { ...tsconfig, compilerOptions: { typeRoots } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const complaints = () => {
    try {
      return run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'])
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  expect(names.length).toBeGreaterThan(15)
  expect(complaints()).toBe('')
})
