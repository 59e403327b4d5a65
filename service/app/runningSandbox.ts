import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { environment } from '../kernel/index.ts'
import { isClaimed } from './dataFolder.ts'
import type { SandboxFile } from './sandbox.ts'

type Runnable = { run(args: string[]): Promise<number> | number }

/** The commands, which take the place of a running sandbox from its file where the environment says nothing. */
export function findingSandbox<C extends Runnable>(commands: Record<string, C>): Record<string, C> {
  const all = Object.entries(commands).map(([name, command]) => {
    const run = async (args: string[]) => {
      await adoptSandbox(environment())
      return command.run(args)
    }
    return [name, { ...command, run }]
  })
  return Object.fromEntries(all)
}

/** Only of a sandbox that runs: after its end the next start decides about ports again. */
async function adoptSandbox(settings: Record<string, string | undefined>): Promise<void> {
  if (settings.MODE === 'production') return
  const folder = settings.DATA_DIR || dataFolderAbove()
  const path = folder && join(folder, 'sandbox.json')
  if (!path || !existsSync(path) || !(await isClaimed(folder))) return
  const { base_url, devnet_url } = JSON.parse(readFileSync(path, 'utf8')) as SandboxFile
  settings.DATA_DIR ??= folder
  settings.PORT ??= new URL(base_url).port
  settings.DEVNET_PORT ??= new URL(devnet_url).port
}

/** `.data` with a sandbox's file, in this folder or in one above it. */
function dataFolderAbove(): string | undefined {
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.data', 'sandbox.json'))) return join(folder, '.data')
    if (dirname(folder) === folder) return undefined
  }
}
