import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { stretched } from './stretched.ts'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** `npm run build`, where a test needs the pages. Production does not start without them. */
export function buildPages() {
  execFileSync(process.execPath, ['web/build.ts'], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: stretched(90_000),
  })
}

/** Serious findings of axe, with their elements. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Injected by the debugger: the page's content security policy refuses a script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const found = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')))`)) as string[]
  return found
}

/** How far a page extends beyond the window's width. */
export const sideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth') as Promise<number>

const FINGER = 44

/** Buttons that are too small for a finger, or cut off by their container. */
export const hardToTap = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('main table button, main .mantine-Button-root, main .button')]
    .filter((button) => button.checkVisibility())
    .filter((button) => {
      const { height, left, right } = button.getBoundingClientRect()
      const around = (button.closest('.scroll') ?? document.documentElement).getBoundingClientRect()
      return height < ${FINGER} || left < around.left - 1 || right > around.right + 1
    })
    .map((button) => button.getAttribute('aria-label') ?? button.textContent)`) as Promise<string[]>

const FRAMES = 6

/** Waits until nothing is loading and every chart is drawn: those below the window are when they come near it. */
export async function settled(page: Page): Promise<void> {
  await until(
    'the page to settle',
    async () => (await page.locator('[aria-busy="true"]').count()) === 0,
  )
  await until(
    'the charts',
    () =>
      page.evaluate(`(() => {
    const places = [...document.querySelectorAll('.chart [role=img]')]
    const empty = places.find((place) => !place.querySelector('canvas'))
    empty?.scrollIntoView()
    if (!empty) scrollTo(0, 0)
    return !empty
  })()`) as Promise<boolean>,
  )
  // A new width is seen in one frame, and the charts are drawn for it in one of the next.
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < ${FRAMES}; frame++) await new Promise(requestAnimationFrame)
  })()`)
}
