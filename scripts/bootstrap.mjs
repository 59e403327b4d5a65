// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs what the
// lockfile names when node_modules does not match it, and a browser when the tests want one.
// Plain JavaScript, because the Node that runs TypeScript is one of the things it installs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.ergon-stamp')
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

function installPackages() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log('Installing the packages of package-lock.json (once, about a minute) …')
  const npm = process.env.npm_execpath
  if (!npm) fail('Run this through npm: `npm start` or `npm test`.')
  const args = [npm, 'ci', '--loglevel=error', '--prefer-offline', '--no-audit', '--no-fund']
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (run.status !== 0) fail('npm ci did not succeed; its message above says why.')
  writeFileSync(stamp, wanted)
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

installPackages()
if (process.argv.includes('--browser')) installBrowser()
