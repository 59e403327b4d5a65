import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// `npm run prove -- --only NAME`: a name that is not there proves nothing, so it must not look like success.

function prove(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'prove.ts'), ...args])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

test.each(['violence', 'crashes,chaso', ''])(
  '--only %j names the proofs there are and ends with 2',
  async (only) => {
    const { code, output } = await prove('--only', only)
    expect(code).toBe(2)
    expect(output).toContain('chaos, crashes, attacks, simulation, bugs')
  },
)
