// `npm pack` in sdk/ runs this first: it builds the package's files in sdk/dist. Inside the repository the
// SDK is TypeScript (sdk/source), which Node does not run in node_modules.
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { inlineTypes } from './inlineTypes.ts'

const HERE = import.meta.dirname

/** File by file, each renamed whole: another `npm pack` may be reading the folder. */
async function build(folder: string) {
  const caches = join(HERE, '../node_modules/.cache')
  mkdirSync(caches, { recursive: true })
  const made = mkdtempSync(join(caches, 'sdk-'))
  await writeScripts(made)
  writeTypes(made)
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(made)
  for (const file of files) renameSync(join(made, file), join(folder, file))
  const old = readdirSync(folder).filter((file) => !files.includes(file))
  for (const file of old) rmSync(join(folder, file), { recursive: true, force: true })
  rmSync(made, { recursive: true })
}

/** One file for `import` and one for `require`, because Node 20 cannot require modules. */
async function writeScripts(folder: string) {
  const bundle = await rolldown({
    input: join(HERE, 'index.ts'),
    platform: 'neutral',
    transform: { target: 'es2022' },
  })
  await bundle.write({ file: join(folder, 'index.js'), format: 'esm' })
  await bundle.write({ file: join(folder, 'index.cjs'), format: 'cjs' })
  await bundle.close()
}

/**
 * tsc declares every file except wire.ts, which is written out: tsc would refer to the contract.
 */
function writeTypes(folder: string) {
  const scratch = mkdtempSync(join(tmpdir(), 'ergon-sdk-'))
  const tsc = join(HERE, '../node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', join(HERE, 'tsconfig.build.json'), '--outDir', scratch])
  const described = join(scratch, 'sdk')
  const files = readdirSync(described).filter((name) => name.endsWith('.d.ts'))
  for (const file of files) {
    const text =
      file === 'wire.d.ts'
        ? inlineTypes(readFileSync(join(HERE, 'wire.ts'), 'utf8'))
        : readFileSync(join(described, file), 'utf8')
    const importing = (extension: string) =>
      text.replace(/(from '\.\/\w+)\.ts'/g, `$1${extension}'`)
    writeFileSync(join(folder, file), importing('.js'))
    writeFileSync(join(folder, file.replace('.d.ts', '.d.cts')), importing('.cjs'))
  }
  rmSync(scratch, { recursive: true })
}

await build(join(HERE, 'dist'))
