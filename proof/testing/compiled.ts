import { join } from 'node:path'

/** Environment with a compile cache, for programs that load the service. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/ergon'),
}
