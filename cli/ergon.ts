#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Caches compiled code, because compiling takes half of a command's time. Not in the temporary
// directory, where others could write code that an operator would run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ergon', import.meta.url)))
const { main } = await import('./main.ts')

process.exitCode = await main(process.argv.slice(2))
