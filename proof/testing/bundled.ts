// `ergon` in a few files: a test that starts it a hundred times would load two thousand modules each time. What is
// bundled is what it runs from its sources.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import { stretched } from './stretched.ts'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = {
  ergon: 'cli/ergon.ts',
  commands: 'service/app/commands.ts',
  listed: 'service/operator/commands/listed.ts',
}
const BUILD_MS_MAX = 60_000

/** The path of `ergon` in few files; the first test of a run that needs it makes them. */
export async function bundledErgon(): Promise<string> {
  const folder = join(inject('bundles'), 'programs')
  if (!existsSync(folder)) {
    try {
      mkdirSync(`${folder}.begun`)
      await bundle(`${folder}.new`, folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      await until('ergon is bundled', () => existsSync(folder), stretched(BUILD_MS_MAX))
    }
  }
  return join(folder, 'ergon.mjs')
}

async function bundle(output: string, place: string): Promise<void> {
  // Loaded here alone: most workers bundle nothing.
  const { build } = await import('vite')
  const input = Object.entries(PROGRAMS).map(([name, path]) => [name, join(ROOT, path)])
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    plugins: [{ name: 'places', enforce: 'pre', transform: (code, id) => placed(code, id, place) }],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: output,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(input),
        output: { entryFileNames: '[name].mjs' },
      },
    },
  })
  renameSync(output, place)
}

/** Our modules keep their places, from which they read files; only the operators' commands are in the bundle. */
function placed(code: string, id: string, place: string): string | undefined {
  if (id.includes('node_modules') || !id.startsWith(ROOT)) return undefined
  const commands = ['commands', 'listed'].reduce((text, name) => {
    const path = PROGRAMS[name as keyof typeof PROGRAMS]
    const url = pathToFileURL(join(place, `${name}.mjs`)).href
    return text.replace(`new URL('../${path}', import.meta.url)`, `new URL('${url}')`)
  }, code)
  return commands
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
}
