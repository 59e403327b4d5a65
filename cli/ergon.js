#!/usr/bin/env node
// The command of the package. In the repository it runs the sources, which the package has bundled in
// dist: Node runs no TypeScript inside node_modules, and Node 20 runs none at all.
import { existsSync } from 'node:fs'

const source = new URL('./ergon.ts', import.meta.url)
await import(existsSync(source) ? source.href : './dist/ergon.js')
