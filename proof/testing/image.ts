import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** Others own all files anyway. */
const isRoot = process.getuid!() === 0

/** The last stage of the Dockerfile, in a plain folder instead of a container. */
export type Image = {
  /** Its working directory on this machine. */
  folder: string
  user: { uid: number; gid: number }
  /** With paths of this machine. */
  env: Record<string, string>
  command: string[]
  health: string[]
}

/** Runs one command of a RUN step. */
export type RunCommand = (command: string, folder: string) => void

type Step = { word: string; rest: string }
type Stage = { top: string; folder: string }

export function dockerfileSteps(): Step[] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n')
  return lines
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
      return { word, rest }
    })
}

/** Each stage is a folder below `place`; absolute paths of the image are paths in it. An unknown step is an error. */
export function buildImage(place: string, run: RunCommand): Image {
  const stages = new Map<string, Stage>()
  let stage: Stage = { top: '', folder: '' }
  const image: Image = { folder: '', user: { uid: 0, gid: 0 }, env: {}, command: [], health: [] }
  const doStep: Record<string, (rest: string) => void> = {
    FROM(rest) {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'last'
      const top = join(place, name)
      stage = { top, folder: top }
      stages.set(name, stage)
    },
    WORKDIR(path) {
      stage.folder = join(stage.top, path)
      mkdirSync(stage.folder, { recursive: true })
    },
    COPY(rest) {
      const [, from, source = '', target = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(rest) ?? []
      const to = join(stage.folder, target)
      // Links instead of copies: both are below `place`.
      if (from) {
        mkdirSync(to, { recursive: true })
        execFileSync('cp', ['-al', `${join(stages.get(from)!.top, source)}/.`, to])
      } else copyContext(join(ROOT, source), to)
    },
    RUN(rest) {
      const commands = rest.split(' && ').filter((one) => isRoot || !one.startsWith('chown '))
      for (const command of commands) run(command, stage.folder)
    },
    USER(rest) {
      const [uid, gid] = rest.split(':').map(Number)
      image.user = { uid: uid!, gid: gid! }
    },
    ENV(rest) {
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) {
        image.env[name!] = value!.startsWith('/') ? join(stage.top, value!) : value!
      }
    },
    EXPOSE() {},
    HEALTHCHECK(rest) {
      image.health = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
    },
    CMD(rest) {
      image.command = JSON.parse(rest)
    },
  }
  for (const { word, rest } of dockerfileSteps()) doStep[word]!(rest)
  chmodSync(place, 0o755)
  return { ...image, folder: stage.folder }
}

/** Here a star is for every name, in Node's globs not for those with a dot in front. */
const withoutDots = (path: string) => path.replaceAll(/(^|\/)\./g, '$1dot-')

/** What `.dockerignore` lets through. The last pattern that fits a path, or a folder above it, decides. */
function copyContext(from: string, to: string) {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const patterns = lines.filter((line) => line && !line.startsWith('#'))
  const isIgnored = (path: string) => {
    const fits = patterns.filter((pattern) => {
      const glob = withoutDots(pattern.replace(/^!/, ''))
      const plain = withoutDots(path)
      return matchesGlob(plain, glob) || matchesGlob(plain, `${glob}/**`)
    })
    return fits.length > 0 && !fits.at(-1)!.startsWith('!')
  }
  const filter = (path: string) => path === from || !isIgnored(relative(from, path))
  for (const name of readdirSync(from)) {
    if (filter(join(from, name)))
      cpSync(join(from, name), join(to, name), { recursive: true, filter })
  }
}

/** As written, with the npm of this machine and its cache. */
export const asWritten: RunCommand = (command, cwd) => {
  const { PATH, HOME, npm_config_offline, npm_config_registry, npm_config_cache } = process.env
  const places = PATH!.split(':').filter((place) => !place.includes('node_modules'))
  const npm = { npm_config_offline, npm_config_registry, npm_config_cache }
  const env = { PATH: places.join(':'), HOME, ...npm, npm_config_prefer_offline: 'true' }
  execFileSync('sh', ['-c', command], { cwd, env, stdio: 'inherit' })
}

/** The same result in seconds: packages of this checkout instead of an installation. */
export const withoutInstalling: RunCommand = (command, folder) => {
  const packages = join(folder, 'node_modules')
  if (command === 'npm ci --omit=dev --omit=optional') copyPackages(folder)
  else if (command === 'npm ci --omit=dev') symlinkSync(join(ROOT, 'node_modules'), packages)
  else asWritten(command, folder)
}

type Locked = {
  dev?: boolean
  optional?: boolean
  link?: boolean
  resolved?: string
}

export function lockedPackages(): [string, Locked][] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries<Locked>(packages).filter(([path]) => path.includes('node_modules/'))
}

function copyPackages(folder: string) {
  const all = lockedPackages().filter(([, { dev, optional, link }]) => link || !(dev || optional))
  // A package within a package comes with it.
  const whole = all.filter(([path, { link }]) => !link && path.split('node_modules/').length === 2)
  const paths = whole.map(([path]) => path)
  // By one program: thousands of small files take Node's own copy half a minute.
  execFileSync('cp', ['-r', '--parents', ...paths, folder], { cwd: ROOT })
  for (const [path, { link, resolved }] of all) {
    if (!link) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(relative(dirname(path), resolved!), join(folder, path))
  }
  const list = JSON.stringify({ packages: Object.fromEntries(all) })
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), list)
}

/** What a folder takes on disk. */
export function megabytesOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).blocks * 512)
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6
}
