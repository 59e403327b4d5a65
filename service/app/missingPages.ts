import { existsSync } from 'node:fs'
import { isBuilt } from '../pages/index.ts'
import { CONSOLE_SITE } from './console.ts'
import { PAY_SCRIPT } from './payPage.ts'
import { WORKSPACE_SITE } from './workspace.ts'

/** The pages that this process would serve and that have not been built. */
export function missingPages(): string[] {
  const built: [string, boolean][] = [
    ['workspace', isBuilt(WORKSPACE_SITE)],
    ['console', isBuilt(CONSOLE_SITE)],
    ["pay page's script", existsSync(PAY_SCRIPT)],
  ]
  return built.flatMap(([name, is]) => (is ? [] : name))
}
