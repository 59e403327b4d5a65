// `npm pack` in cli/ runs this first: the client's commands and the SDK become dist/ergon.js, one file without
// dependencies. The operators' commands stay in the repository, beside the rooms that they call.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = join(import.meta.dirname, 'dist')
rmSync(folder, { recursive: true, force: true })
const bundle = await rolldown({
  input: join(import.meta.dirname, 'packaged.ts'),
  platform: 'node',
  transform: { target: 'node20' },
})
await bundle.write({ file: join(folder, 'ergon.js'), format: 'esm' })
await bundle.close()
