import { spawn } from 'node:child_process'
import { didYouMean } from '../nearest.ts'
import { readArguments, words } from './arguments.ts'
import { findPlace } from './connection.ts'
import { printJson } from './output.ts'
import { Unusable } from './unusable.ts'
import { webUrlOf } from './web.ts'

export const PAGES: Record<string, string> = { workspace: '/', docs: '/docs', console: '/operator' }

/** Opens a page in the browser, and prints its address. */
export async function open(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { web: { type: 'string' } })
  const [page = 'workspace'] = words(positionals, ...(positionals.length > 0 ? ['PAGE'] : []))
  if (!Object.hasOwn(PAGES, page)) {
    const names = Object.keys(PAGES)
    throw new Unusable(`There is no page "${page}".${didYouMean(page, names)} ${names.join(', ')}.`)
  }
  const url = `${webUrlOf(findPlace(values), values.web)}${PAGES[page]}`
  const opened = await openBrowser(url)
  if (values.json) printJson({ url, opened })
  else console.log(opened ? `Opened ${url}` : `Open ${url} in a browser.`)
  return 0
}

/** BROWSER, or what the system opens addresses with. Without one, the address is all we can give. */
function openBrowser(url: string): Promise<boolean> {
  const usual = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(process.env.BROWSER || usual, [url], { stdio: 'ignore', detached: true })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
