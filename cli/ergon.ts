#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Half of what a command takes is compiling; the second one finds it done. Not in the folder for temporary
// files, where others could write what an operator would run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ergon', import.meta.url)))
const { main } = await import('./main.ts')

process.exitCode = await main(process.argv.slice(2))
