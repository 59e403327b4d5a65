import { join } from 'node:path'

/** For programs that load the service: what was compiled once is not compiled again. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/ergon'),
}
