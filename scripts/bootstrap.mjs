// Runs before the scripts of package.json, on whatever Node the machine has, and compares node_modules
// with the lockfile. Where a sandbox has no packages it installs them, without those of development;
// with `--pages` it builds pages that are missing. `--all` is for scripts of development: it adds their packages
// and replaces outdated ones. In production, and under processes that run from this tree, it replaces nothing.
// Plain JavaScript, because the Node that runs TypeScript is one of the things it installs.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = join(root, 'node_modules')
/** npm's list of what it has installed, written at the end of an installation. */
const installedList = join(packages, '.package-lock.json')
/** There when development packages are. */
const compiler = join(packages, 'typescript')
const chromium = '/usr/bin/chromium'
const PAGES = ['pay', 'docs', 'workspace', 'console']
/** What may be replaced under none of them. */
const PROGRAMS = ['service/app/main.ts', 'service/signer.ts', 'scripts/bootstrap.mjs']
const isProduction = process.env.MODE === 'production'

/** `none`, `outdated`, `start` (without those of development) or `all`. */
function findPackages() {
  if (!existsSync(installedList)) return 'none'
  const read = (path) => JSON.parse(readFileSync(path, 'utf8')).packages
  const installed = read(installedList)
  let hasAll = true
  for (const [path, wanted] of Object.entries(read(join(root, 'package-lock.json')))) {
    if (!path.includes('node_modules/')) continue
    const found = installed[path]
    if (found) {
      // npm's list has no checksum of what came without one.
      const isOther = found.integrity && wanted.integrity && found.integrity !== wanted.integrity
      if (found.version !== wanted.version || isOther) return 'outdated'
    } else if (!wanted.optional && !wanted.devOptional) {
      // What is optional may be for another machine, or left out of an image.
      if (!wanted.dev) return 'outdated'
      hasAll = false
    }
  }
  return hasAll ? 'all' : 'start'
}

function preparePackages(wantsAll) {
  const found = findPackages()
  if (found === 'all' || (found === 'start' && !wantsAll)) return
  const withDevelopment = wantsAll || (!isProduction && existsSync(compiler))
  const command = withDevelopment ? '`npm ci`' : '`npm ci --omit=dev`'
  if (found === 'outdated' && (isProduction || !wantsAll)) {
    fail(
      `node_modules is not what package-lock.json names: stop what runs from this folder, then run ${command} and \`npm run build\`.`,
    )
  }
  if (isProduction) fail(`The packages are not installed: run ${command}, then \`npm run build\`.`)
  if (found === 'start') addDevelopmentPackages()
  else installPackages(withDevelopment)
  removeHeaders()
}

/** `npm ci` removes what is there first, so nothing may run from it. */
function installPackages(withDevelopment) {
  const [pid] = processesThat(usesPackages)
  if (pid)
    fail(`The packages cannot be installed while process ${pid} runs from this folder: stop it.`)
  sayInstalling()
  runNpm('ci', withDevelopment ? '--include=dev' : '--omit=dev')
}

/** Only adds, so it may happen beside a sandbox that runs from this tree. */
function addDevelopmentPackages() {
  sayInstalling()
  const now = new Date()
  // npm takes its list of what is installed for outdated, and installs all of it again, when a folder is younger.
  utimesSync(installedList, now, now)
  runNpm('install', '--include=dev', '--no-save')
}

const sayInstalling = () =>
  console.log('Installing the packages of package-lock.json (once, about a minute) …')

function runNpm(command, ...options) {
  const npm = process.env.npm_execpath
  if (!npm) fail('Run this through npm: `npm start` or `npm test`.')
  const quiet = ['--loglevel=error', '--prefer-offline', '--no-audit', '--no-fund']
  const args = [npm, command, ...options, ...quiet]
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (run.status !== 0) fail(`npm ${command} did not succeed; its message above says why.`)
}

/** Node comes with 67 MB of headers to compile against, and nothing here is compiled. */
function removeHeaders() {
  for (const name of readdirSync(packages)) {
    if (!name.startsWith('node-linux-')) continue
    rmSync(join(packages, name, 'include'), { recursive: true, force: true })
  }
}

/** If this does not succeed, the sandbox starts without pages and says so. */
function buildPages() {
  const isBuilt = PAGES.every((part) => existsSync(join(root, 'web/dist', part, 'stamp')))
  if (isBuilt || isProduction || processesThat(isOurProgram).length > 0) return
  console.log('Building the pages (once, about 20 seconds) …')
  // npm has put the Node of node_modules first in PATH.
  spawnSync('node', ['web/build.ts'], { cwd: root, stdio: 'inherit' })
}

/** Processes for which this holds; not this one and its parents. */
function processesThat(holds) {
  const parents = new Set()
  for (let pid = process.pid; pid > 1; pid = parentOf(pid)) parents.add(pid)
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all
    .map(Number)
    .filter((pid) => !parents.has(pid) && (unlessGone(() => holds(pid)) ?? false))
}

function parentOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** Undefined for a process that has ended, or belongs to another user. */
function unlessGone(look) {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Of this tree's own Node or PostgreSQL, or of our programs. */
const usesPackages = (pid) =>
  readlinkSync(`/proc/${pid}/exe`).startsWith(`${packages}/`) || isOurProgram(pid)

function isOurProgram(pid) {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const isOurs = PROGRAMS.some((path) => words.includes(path) || words.includes(join(root, path)))
  return isOurs && readlinkSync(`/proc/${pid}/cwd`) === root
}

/** Only where it can be done without asking: root on a Debian-like system. Otherwise the browser layer is skipped and says so. */
function installBrowser() {
  if (existsSync(chromium) || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log('Installing Chromium from the distribution for the browser tests (once) …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env, timeout: 300_000 }
  spawnSync('apt-get', ['-qq', 'update'], options)
  spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', 'chromium'], options)
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

preparePackages(process.argv.includes('--all'))
if (process.argv.includes('--pages')) buildPages()
if (process.argv.includes('--browser')) installBrowser()
