import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'
import { absentIn } from './testing/commandLine.ts'
import { blocksIn, NEEDS } from './testing/documented.ts'
import { dockerfileSteps } from './testing/image.ts'

// Settings, ports, roles, paths and commands that the files of deploy/ name are those of the code.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const withoutComments = (text: string) => text.replaceAll(/^\s*#.*$/gm, '')
const compose = withoutComments(read('compose.yml'))
const units = globSync('systemd/*.service', { cwd: join(root, 'deploy') }).sort()
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one!)
const unique = (names: string[]) => [...new Set(names)].sort()

/** The text of each service of compose.yml, with what it takes over from above. */
const services = new Map(
  [
    ...compose
      .split('\nservices:\n')[1]!
      .split('\nnetworks:\n')[0]!
      .split(/\n(?= {2}\S)/),
  ].map((block): [string, string] => [/^ {2}(\S+):/m.exec(block)![1]!, withAnchors(block)]),
)

function withAnchors(block: string): string {
  const names = all(block, /<<: \*(\w+)/g)
  const blocks = names.map((name) => {
    const [, text = ''] =
      new RegExp(`^x-\\w+: &${name}\\n((?:  .*\\n|\\n)*)`, 'm').exec(compose) ?? []
    expect(text, name).not.toBe('')
    return withAnchors(text)
  })
  return [...blocks, block].join('\n')
}

/** NAME: value, also within braces. */
const settingsOf = (text: string) =>
  [...text.matchAll(/(?:^ +|[{,] *)([A-Z][A-Z_0-9]+):(?: +([^\s},]+))?/gm)].map(
    ([, name, value]): [string, string | undefined] => [name!, value],
  )
const ergonServices = [...services].filter(([, text]) => text.includes('image: ergon'))
const PORT = '8080'
const METRICS_PORT = '9464'
/** The ini blocks of the README, by the file that they are. */
const readme = new Map(
  blocksIn(read('README.md'))
    .filter(({ kind }) => kind === 'ini')
    .map(({ body }) => [/^# ([\w-]+\.env)/.exec(body)![1]!, body]),
)

test('the processes are those of the manual', () => {
  expect(ergonServices.map(([name]) => name)).toEqual([
    'migrate',
    'signer',
    'api-1',
    'api-2',
    'worker',
    'scanner',
  ])
  const roles = ergonServices.map(([, text]) => new Map(settingsOf(text)).get('ROLE'))
  expect(roles).toEqual([undefined, undefined, 'api', 'api', 'worker', 'scanner'])
})

test.each(ergonServices)(
  '%s gets settings that exist, with values that they take',
  (_name, text) => {
    const given = settingsOf(text)
    expect(given.length).toBeGreaterThan(1)
    for (const [name, value] of given) {
      expect(Object.keys(settings)).toContain(name)
      const { parse } = settings[name as keyof typeof settings]
      if (value && !value.includes('${')) expect(parse(value), name).not.toBeUndefined()
    }
  },
)

test('every process connects with its own role, and roles.sql makes those that log in', () => {
  const urls = [...compose.matchAll(/(DATABASE_\w*URL): postgresql:\/\/(\w+):\$\{(\w+):\?\}/g)]
  expect(urls.map(([, ...one]) => one).sort()).toEqual([
    ['DATABASE_ADMIN_URL', 'ergon_admin', 'ADMIN_PASSWORD'],
    ['DATABASE_API_URL', 'ergon_api', 'API_PASSWORD'],
    ['DATABASE_SIGNER_URL', 'ergon_signer', 'SIGNER_PASSWORD'],
    ['DATABASE_URL', 'ergon_app', 'APP_PASSWORD'],
  ])
  const known = readFileSync(join(root, 'service/db/roles.sql'), 'utf8')
  const logins = all(known, /\('(ergon_\w+)', true\)/g)
  const made = [...read('roles.sql').matchAll(/create role (\w+) login password :'(\w+)'/g)]
  expect(unique(made.map(([, role]) => role!))).toEqual(unique(logins))
  for (const [, role, variable] of made) {
    expect(role).toBe(`ergon_${variable}`)
    expect(read('roles.sql')).toContain(`\\getenv ${variable} ${variable!.toUpperCase()}_PASSWORD`)
  }
})

test('.env has what compose.yml requires, and names nothing that it ignores', () => {
  const named = all(read('env.example'), /^([A-Z_]+)=/gm)
  const required = unique(all(compose, /\$\{([A-Z_]+):\?\}/g))
  expect(required.filter((name) => !named.includes(name))).toEqual([])
  const passedOn = all(compose, /^ +([A-Z_0-9]+):$/gm)
  expect(named.filter((name) => ![...required, ...passedOn].includes(name))).toEqual([])
})

test('the signer reaches the database and nothing else', () => {
  const networksOf = (name: string) => /networks: \[(.*)\]/.exec(services.get(name)!)?.[1]
  expect(networksOf('signer')).toBe('signing')
  expect(compose).toMatch(/^ {2}signing: \{ internal: true \}$/m)
  const others = [...services].filter(([, text]) => /networks: .*\bsigning\b/.test(text))
  expect(others.map(([name]) => name)).toEqual(['postgres', 'signer'])
  expect(services.get('signer')).not.toMatch(/ports:/)
  expect(read('systemd/ergon-signer.service')).toMatch(/^IPAddressDeny=any$/m)
})

test('proxies and Prometheus ask where the processes listen', () => {
  const shared = new Map(settingsOf(withAnchors('<<: *settings')))
  expect([shared.get('PORT'), shared.get('METRICS_PORT')]).toEqual([PORT, METRICS_PORT])
  expect(all(read('haproxy.cfg'), /^ {4}server (.+)$/gm)).toEqual([
    `api-1 api-1:${PORT}`,
    `api-2 api-2:${PORT}`,
  ])
  const [, targets] = /targets: (\[.*\])/.exec(read('prometheus.yml'))!
  const measured = ergonServices.filter(([, text]) => /\bROLE:/.test(text))
  expect(JSON.parse(targets!)).toEqual(measured.map(([name]) => `${name}:${METRICS_PORT}`))
  // The alert that a node is gone names the job.
  expect(read('prometheus.yml')).toContain('job_name: ergon\n')
  expect(read('../docs/operating/alerts.yml')).toContain('up{job="ergon"}')
  const [, proxy] = /ipv4_address: (\S+) /.exec(services.get('proxy')!)!
  expect(new Map(settingsOf(services.get('api-1')!)).get('TRUSTED_PROXIES')).toBe(proxy)
  expect(compose).toContain(`subnet: ${proxy!.replace(/\d+$/, '0/24')}`)
  const first = readme.get('api-1.env')!
  const ports = [/^PORT=(\d+)$/m.exec(first)![1]!, /ports (\d+)/.exec(first)![1]!]
  expect(all(read('nginx.conf'), /^ {4}server 127\.0\.0\.1:(\d+)/gm)).toEqual(ports)
  const readiness = readFileSync(join(root, 'service/http/readiness.ts'), 'utf8')
  expect(readiness).toContain(`server.get('${/httpchk GET (\S+)/.exec(read('haproxy.cfg'))![1]}'`)
})

test('no proxy sends a request twice, or after half a body of another', () => {
  expect(withoutComments(read('haproxy.cfg'))).toContain('    retry-on conn-failure\n')
  expect(withoutComments(read('haproxy.cfg'))).toContain('    http-reuse never\n')
  const nginx = withoutComments(read('nginx.conf'))
  expect(nginx).toContain('proxy_next_upstream error timeout;')
  // By default nginx has the whole body before it asks a node.
  expect(nginx).not.toContain('proxy_request_buffering')
})

test('files that containers get are there, and the README says how to make the others', () => {
  const mounted = all(compose, /(?:- |")(\.{1,2}\/[^:"\s]+):/g)
  expect(mounted.length).toBeGreaterThan(5)
  expect(mounted.filter((path) => !existsSync(join(root, 'deploy', path)))).toEqual([])
  const secrets = all(compose, /file: \.\/(secrets\/\S+)/g)
  expect(secrets.filter((path) => !read('README.md').includes(path))).toEqual([])
  const declared = all(compose.split('\nsecrets:\n')[1]!.split('\nvolumes:')[0]!, /^ {2}(\S+):/gm)
  const used = all(`${compose}\n${read('haproxy.cfg')}`, /\/run\/secrets\/(\S+)/g)
  expect(unique(used)).toEqual(unique(declared))
})

test('commands are those of npm start and npm run signer', () => {
  const program = (script: string) => script.slice(script.indexOf('exec ') + 'exec '.length)
  const inCompose = all(compose, /command: \[(.+)\]/g).map((list) => list.replaceAll(', ', ' '))
  expect(inCompose).toEqual(['node cli/ergon.ts migrate', program(scripts.signer)])
  for (const line of inCompose) expect(absentIn(line), line).toEqual([])
  const [cmd] = dockerfileSteps().filter(({ word }) => word === 'CMD')
  expect(JSON.parse(cmd!.rest).join(' ')).toBe(program(scripts.start))
  const starts = units.map((unit) => /^ExecStart=\S+\/(node .+)$/m.exec(read(unit))![1])
  expect(starts).toEqual([program(scripts.signer), program(scripts.start)])
  const folder = /^WorkingDirectory=(.+)$/m.exec(read(units[0]!))![1]
  for (const unit of units) {
    for (const line of all(read(unit), /^ExecStart(?:Pre)?=(.+)$/gm)) {
      const [, place, command] = /^(\S+)\/node_modules\/\.bin\/(node .+)$/.exec(line)!
      expect([place, absentIn(command!)]).toEqual([folder, []])
    }
  }
})

test.each(units)('%s has settings that exist, and files that the README names', (unit) => {
  const text = read(unit)
  const given = all(text, /^Environment=(.+)$/gm).flatMap((line) => line.split(' '))
  for (const one of given) {
    const [name, value = ''] = one.split('=')
    expect(Object.keys(settings)).toContain(name)
    if (!value.startsWith('%d/')) continue
    expect(text).toContain(`LoadCredential=${value.slice(3)}:/etc/ergon/${value.slice(3)}\n`)
    expect(read('README.md')).toContain(`\`${value.slice(3)}\``)
  }
  const files = all(text, /^EnvironmentFile=\/etc\/ergon\/(.+)$/gm)
  const named = files.flatMap((file) => (file === '%i.env' ? ['api-1.env', 'worker.env'] : [file]))
  expect(named.filter((file) => !readme.has(file))).toEqual([])
})

test('every process has ports of its own', () => {
  const ports = [...readme.values()].flatMap((body) => [
    ...all(body, /^(?:METRICS_)?PORT=(\d+)$/gm),
    ...all(body, /^# .*ports (\d+) and \d+$/gm),
    ...all(body, /^# .*ports \d+ and (\d+)$/gm),
  ])
  expect(ports).toHaveLength(8)
  expect(unique(ports)).toHaveLength(8)
})

test('the README says what its commands need, and what was tested', () => {
  const blocks = blocksIn(read('README.md')).filter(({ kind }) => kind === 'sh')
  expect(blocks.filter(({ body }) => !NEEDS.test(body))).toEqual([])
  const inside = blocks.flatMap(({ body }) => all(body, /(node cli\/ergon\.ts [a-z].*)$/gm))
  expect(inside.length).toBeGreaterThan(2)
  expect(inside.filter((line) => absentIn(line)!.length > 0)).toEqual([])
  const manual = readFileSync(join(root, 'docs/operating/machines.md'), 'utf8')
  for (const text of [read('README.md'), manual]) {
    expect(text).toMatch(/No container engine has run/)
  }
})
