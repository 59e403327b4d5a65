import { isTest } from './floors.ts'
import { lineAt, type Rule, type Source, type Violation } from './source.ts'

/** What `npm start` runs or builds, and `npx ergon` in a tree that was only started. */
const STARTED = /^(service|web|devnet|cli|sdk|tron|contract)\/.*\.(ts|tsx|mjs)$/
/** Files of those folders that no start comes to, and who does. */
const NOT_STARTED: Record<string, string> = {
  'tron/arbitraries.ts': 'tests',
  'cli/build.ts': 'who publishes the commands',
  'sdk/build.ts': 'who publishes the client',
  'sdk/inlineTypes.ts': 'who publishes the client',
}
/** A type leaves no import behind. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^'"`;]*?\bfrom\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g

type Manifest = Partial<Record<'dependencies' | 'optionalDependencies', Record<string, string>>>

export const startedPackages: Rule = {
  name: 'what npm start runs imports no package that only development has',
  check(tree) {
    const manifests = tree.filter(({ path }) => /^(\w+\/)?package\.json$/.test(path))
    const named = new Map(manifests.map(({ path, text }) => [path, namesIn(JSON.parse(text))]))
    if (!named.has('package.json')) return []
    return tree
      .filter(({ path }) => STARTED.test(path) && !isTest(path) && !(path in NOT_STARTED))
      .flatMap((source) => unnamed(source, named))
  },
}

function namesIn({ dependencies, optionalDependencies }: Manifest): Set<string> {
  return new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
}

function unnamed({ path, code }: Source, named: ReadonlyMap<string, Set<string>>): Violation[] {
  const own = `${path.split('/')[0]}/package.json`
  // The package of the commands is bundled and depends on nothing: what they import, the repository has.
  const isOwn = named.has(own) && own !== 'cli/package.json'
  const manifest = isOwn ? own : 'package.json'
  return [...code.matchAll(IMPORT)].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? match[3]!
    if (/^(\.|node:)/.test(specifier)) return []
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]
    if (named.get(manifest)!.has(name)) return []
    const line = lineAt(code, match.index + match[0].lastIndexOf(specifier))
    return [{ path, line, sentence: `${name} is not among the dependencies of ${manifest}` }]
  })
}
