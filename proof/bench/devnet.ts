import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Suite, spread } from './row.ts'

// npm run bench -- devnet
// Fully checked transactions a second in one process, measured by the devnet's own bench.

const PROGRAM = join(import.meta.dirname, '../../devnet/chain/throughput.bench.ts')

type Rates = { WebAssembly: number[]; JavaScript: number[] }

export const measureDevnet: Suite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  try {
    const file = join(folder, 'rates.json')
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--rates', file])
    if (status !== 0) throw new Error(String(stderr))
    const rates = JSON.parse(readFileSync(file, 'utf8')) as Rates
    const javascript = spread(rates.JavaScript)
    return {
      rows: [
        {
          figure: 'devnet, fully checked transactions, one core',
          unit: '/s',
          ...spread(rates.WebAssembly),
          must: 400,
          aim: 2_000,
        },
      ],
      remarks: [
        `The devnet recovers signatures with WebAssembly; with JavaScript alone it takes ${javascript.value.toFixed(0)} transactions a second.`,
      ],
      details: rates,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
