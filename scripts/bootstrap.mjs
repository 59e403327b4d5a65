// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs what the
// lockfile names when node_modules does not match it, and a browser when the tests want one.
// `npm start` needs no development package and gets none; `--all` is for everything else.
// Plain JavaScript, because the Node that runs TypeScript is one of the things it installs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.ergon-stamp')
/** There when development packages are. */
const compiler = join(root, 'node_modules', 'typescript')
const chromium = '/usr/bin/chromium'

function fingerprint() {
  const hash = createHash('sha256')
  const manifests = ['package.json', 'package-lock.json', ...workspaceManifests()]
  for (const file of manifests) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function workspaceManifests() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.map((folder) => join(folder, 'package.json'))
}

function installPackages(wantsAll) {
  const wanted = fingerprint()
  const found = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (found === `${wanted} all` || (found === `${wanted} start` && !wantsAll)) return
  // A tree with development packages keeps them: a start after an update must not take them away.
  const kind = wantsAll || existsSync(compiler) ? 'all' : 'start'
  console.log('Installing the packages of package-lock.json (once, about a minute) …')
  if (found === `${wanted} start`) addDevelopmentPackages()
  else runNpm('ci', kind === 'all' ? '--include=dev' : '--omit=dev')
  removeHeaders()
  writeFileSync(stamp, `${wanted} ${kind}`)
}

/** `npm ci` would remove what is there first, and a service that was started from this tree may be running. */
function addDevelopmentPackages() {
  const now = new Date()
  // npm takes its list of what is installed for outdated, and installs all of it again, when a folder is younger.
  utimesSync(join(root, 'node_modules', '.package-lock.json'), now, now)
  runNpm('install', '--include=dev', '--no-save')
}

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
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages)) {
    if (!name.startsWith('node-linux-')) continue
    rmSync(join(packages, name, 'include'), { recursive: true, force: true })
  }
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

installPackages(process.argv.includes('--all'))
if (process.argv.includes('--browser')) installBrowser()
