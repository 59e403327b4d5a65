// `npm pack` in cli/ runs this first: the client's commands and the SDK become dist/ergon.js, one file without
// dependencies. The operators' commands stay in the repository, beside the rooms that they call.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const HERE = import.meta.dirname
const caches = join(HERE, '../node_modules/.cache')
mkdirSync(caches, { recursive: true })
const scratch = mkdtempSync(join(caches, 'cli-'))
const bundle = await rolldown({
  input: join(HERE, 'packaged.ts'),
  platform: 'node',
  transform: { target: 'node20' },
})
await bundle.write({ file: join(scratch, 'ergon.js'), format: 'esm' })
await bundle.close()
// Renamed whole: another `npm pack` may be reading the old one.
mkdirSync(join(HERE, 'dist'), { recursive: true })
renameSync(join(scratch, 'ergon.js'), join(HERE, 'dist/ergon.js'))
rmSync(scratch, { recursive: true })
