import { type Rule, type Source, violations } from './source.ts'

const isRule = ({ path }: Source) => path.startsWith('proof/houseRules')

export const noMachine: Rule = {
  name: 'no file knows the machine it was written on',
  check: (tree) =>
    tree
      .filter((source) => !isRule(source))
      .flatMap((source) => [
        ...violations(
          source,
          'text',
          /(?<![\w.@:/-])\/(?:work|root|home|Users|mnt)\/[\w.-]+/g,
          ([path]) => `${path} is a path of one machine; write it relative to the repository`,
        ),
        ...violations(
          source,
          'text',
          /https?:\/\/[\w.-]*(?:registry|npmjs|artifactory|nexus|verdaccio)[\w.-]*/g,
          ([host]) => `${host} names a registry; leave it to the machine that installs`,
        ),
      ]),
}

export const lockfile: Rule = {
  name: 'the lockfile has no download addresses',
  check: (tree) =>
    tree
      .filter(({ path }) => path === 'package-lock.json')
      .flatMap((source) =>
        violations(
          source,
          'text',
          /"resolved": "(?:https?|git)/g,
          'a download address; .npmrc has omit-lockfile-registry-resolved=true, install with it',
        ),
      ),
}

export const exactVersions: Rule = {
  name: 'dependencies have exact versions',
  check: (tree) =>
    tree
      .filter(({ path }) => /(^|\/)package\.json$/.test(path))
      .flatMap((source) =>
        violations(source, 'text', /"[@\w./-]+": "([\^~*]|>=?|latest)[\w.*-]*"/g, ([found]) =>
          found.startsWith('"node"') ? undefined : `${found} is a range; write the version`,
        ),
      ),
}

const SETTINGS_PAGE = 'docs/operating/settings.md'

export const settingsInManual: Rule = {
  name: 'the page of settings has every setting in its table',
  check(tree) {
    const settings = tree.find(({ path }) => path === 'service/kernel/settings.ts')
    const manual = tree.find(({ path }) => path === SETTINGS_PAGE)?.text ?? ''
    if (!settings) return []
    return violations(settings, 'code', /^ {2}([A-Z][A-Z_]+): setting\(/gm, ([, name]) =>
      manual.includes(`| \`${name}\` |`)
        ? undefined
        : `${name} is not in the table of ${SETTINGS_PAGE}; add its row`,
    )
  },
}

export const roomsAreComplete: Rule = {
  name: 'every room has a door and a README',
  check(tree) {
    const paths = new Set(tree.map(({ path }) => path))
    const inRooms = [...paths].flatMap((path) => /^service\/[\w-]+(?=\/)/.exec(path)?.[0] ?? [])
    const rooms = new Set(inRooms)
    const packages = ['contract', 'tron', 'devnet'].filter((name) => paths.has(`${name}/index.ts`))
    return [...rooms, ...packages].flatMap((room) =>
      // Nothing imports app, so it has no door.
      (room === 'service/app' ? ['README.md'] : ['index.ts', 'README.md'])
        .map((file) => `${room}/${file}`)
        .filter((path) => !paths.has(path))
        .map((path) => ({ path, line: 1, sentence: WANTED[path.split('/').at(-1)!]! })),
    )
  },
}

const WANTED: Record<string, string> = {
  'index.ts': 'is missing; a room has one door',
  'README.md': 'is missing; half a page: what the room promises, its states, its tables',
}
