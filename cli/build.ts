// `npm pack` in cli/ runs this first: the client's commands and the SDK become dist/ergon.js, and what is loaded
// later its own files beside it, without dependencies. The operators' commands stay in the repository, beside the rooms that they call.
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
const names = { entryFileNames: 'ergon.js', chunkFileNames: '[name].js' }
const { output } = await bundle.write({ dir: scratch, format: 'esm', ...names })
await bundle.close()
// Renamed whole: another `npm pack` may be reading the old one.
mkdirSync(join(HERE, 'dist'), { recursive: true })
// The entry is the first of the output, and comes last: until then the old one finds what it needs.
for (const { fileName } of output.toReversed()) {
  renameSync(join(scratch, fileName), join(HERE, 'dist', fileName))
}
rmSync(scratch, { recursive: true })
