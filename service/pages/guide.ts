import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Rendered, renderMarkdown } from './markdown.ts'

const DOCS = join(import.meta.dirname, '../../docs')
/** Sections in their order, and within them the pages that have one; others follow by their names. */
const SECTIONS = [
  {
    folder: 'guide',
    title: 'Guide',
    order: [
      'start',
      'sdk',
      'deposits',
      'webhooks',
      'autoenergy',
      'agent',
      'errors',
      'sandbox',
      'command',
    ],
  },
  {
    folder: 'operating',
    title: 'Operating',
    order: ['going-live', 'machines', 'backup', 'upgrade', 'monitoring', 'incidents', 'commands'],
  },
] as const

type Page = Rendered & { path: string }
type Section = { title: string; pages: Page[] }
export type Guide = {
  /** Each as a whole page, by its path. */
  pages: Map<string, string>
  /** Links to all of them, for the reference. */
  navigation: string
}

type Made = { name: string; text: string }

export function guidePaths(errors: readonly Made[]): string[] {
  const files = SECTIONS.flatMap(({ folder, order }) =>
    filesOf(folder, order).map((file) => pathOf(folder, file)),
  )
  return [...files, ...errors.map(({ name }) => pathOf('errors', name))]
}

/** docs/guide and docs/operating as pages: no script, nothing from anybody else. */
export function readGuide(errors: readonly Made[]): Guide {
  const sections = SECTIONS.map(({ folder, title, order }) => {
    return { title, pages: filesOf(folder, order).map((file) => readPage(folder, file)) }
  })
  const pages = sections.flatMap((section) => section.pages)
  const made = errors.map(({ name, text }) => {
    return { path: pathOf('errors', name), ...renderMarkdown(text, () => undefined) }
  })
  return {
    pages: new Map([...pages, ...made].map((page) => [page.path, layout(page, sections)])),
    navigation: pages.map(({ path, title }) => `<a href="${path}">${title}</a>`).join('\n'),
  }
}

function filesOf(section: string, order: readonly string[]): string[] {
  const rank = (file: string) => {
    const place = order.indexOf(file.replace(/\.md$/, ''))
    return place < 0 ? order.length : place
  }
  return readdirSync(join(DOCS, section))
    .filter((file) => file.endsWith('.md'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

function readPage(section: string, file: string): Page {
  const text = readFileSync(join(DOCS, section, file), 'utf8')
  const path = pathOf(section, file)
  const linkOfTarget = (target: string) =>
    /^[\w-]+\.svg$/.test(target) ? drawingOf(join(DOCS, section, target)) : linkOf(section, target)
  return { path, ...renderMarkdown(text, linkOfTarget) }
}

/** A drawing is part of its page. */
function drawingOf(file: string): string {
  return `data:image/svg+xml;base64,${readFileSync(file).toString('base64')}`
}

function pathOf(section: string, file: string): string {
  return `/docs/${section}/${file.replace(/\.md$/, '')}`
}

/** A page's neighbour is a page here too; what is only in the repository is named, not linked. */
function linkOf(section: string, target: string): string | undefined {
  if (/^(https?:\/\/|\/|#)/.test(target)) return target
  const [, other = section, file, anchor = ''] =
    /^(?:\.\.\/(guide|operating)\/)?([\w-]+\.md)(#[\w-]+)?$/.exec(target) ?? []
  return file === undefined ? undefined : pathOf(other, file) + anchor
}

function layout({ path, title, html }: Page, sections: Section[]): string {
  const link = (page: Page) => {
    const current = page.path === path ? ' aria-current="page"' : ''
    return `<li><a href="${page.path}"${current}>${page.title}</a></li>`
  }
  const lists = sections.map(
    (section) => `<h2>${section.title}</h2><ul>${section.pages.map(link).join('')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Ergon</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guide.css">
<nav aria-label="Documentation">
<p><a href="/docs">API reference</a></p>
${lists.join('\n')}
</nav>
<main>
${html}
</main>
</html>
`
}

export const guideStyle = `
:root { --ink: #1c1e21; --soft: #5c636b; --line: #e2e5e9; --paper: #fff; --shade: #f6f7f9; --accent: #9a6200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa3ad; --line: #30363d; --paper: #14171a; --shade: #1d2125; --accent: #f5a524; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 1120px; font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { min-width: 0; }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 16px; } main h2 { font-size: 20px; margin: 40px 0 8px; } h3 { font-size: 17px; margin: 28px 0 8px; }
img { max-width: 100%; } a { color: var(--accent); } strong { font-weight: 600; }
code { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 16px 0; padding: 12px 16px; overflow-x: auto; background: var(--shade); border: 1px solid var(--line); border-radius: 6px; }
pre code { overflow-wrap: normal; }
.table { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: 15px; }
td, th { text-align: left; vertical-align: top; padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line); }
td code { overflow-wrap: break-word; } th { color: var(--soft); font-weight: 500; }
nav { margin-bottom: 32px; padding-bottom: 16px; border-bottom: 1px solid var(--line); font-size: 15px; }
nav h2 { margin: 12px 0 0; font-size: 13px; color: var(--soft); font-weight: 600; } nav p { margin: 0; }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; column-gap: 16px; }
nav a { display: inline-block; padding: 6px 0; color: var(--ink); text-decoration: none; }
nav a:hover { text-decoration: underline; } nav a[aria-current] { color: var(--accent); font-weight: 600; }
@media (min-width: 900px) {
  body { display: grid; grid-template-columns: 220px minmax(0, 1fr); column-gap: 48px; }
  nav { border: 0; position: sticky; top: 24px; align-self: start; } nav ul { display: block; }
}
`
