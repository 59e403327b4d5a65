// `npm run build -w sdk`: builds the package in sdk/dist, with its own manifest. Pack that folder:
// inside the repository the SDK is TypeScript, which Node does not run in node_modules.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { inlineTypes } from './inlineTypes.ts'

const HERE = import.meta.dirname

async function build(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await writeScripts(folder)
  writeTypes(folder)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  cpSync(join(HERE, 'README.md'), join(folder, 'README.md'))
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

function manifest() {
  const { name, version, license } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
  return {
    name,
    version,
    description: 'Client of Ergon, a service that sells TRON Energy. No dependencies.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    main: './index.cjs',
    module: './index.js',
    types: './index.d.cts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './package.json': './package.json',
    },
  }
}

await build(process.argv[2] ?? join(HERE, 'dist'))
