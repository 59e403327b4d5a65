import { escaped } from '../shared/html.ts'
import type { Page, Section } from './page.ts'

export type Assets = { style: string; script: string; search: string; icon: string }

const DESCRIPTION_MAX = 160

/** A whole page: header with search, navigation at the side, the text. */
export function layout(page: Page, sections: Section[], assets: Assets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${about(page)}
<title>${escaped(page.title)} · Ergon</title>
<link rel="icon" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" data-search="${assets.search}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>
<a class="brand" href="/docs">Ergon <span>docs</span></a>
<form role="search" id="search" hidden>
<input type="search" id="query" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div id="found" aria-live="polite"></div>
</form>
<a href="/status">Status</a>
<button type="button" id="theme" hidden>Theme</button>
</header>
<nav id="navigation" aria-label="Documentation">
${sections
  .filter(({ pages }) => pages.length > 0)
  .map((section) => navigation(section, page))
  .join('\n')}
</nav>
<main id="text" tabindex="-1">
${page.html}
</main>
</body>
</html>
`
}

function navigation({ title, pages }: Section, current: Page): string {
  const links = pages.filter(({ isHidden }) => !isHidden).map((page) => item(page, current))
  return `<h2>${escaped(title)}</h2><ul>${links.join('')}</ul>`
}

function item(page: Page, current: Page): string {
  if (page.path !== current.path)
    return `<li><a href="${page.path}">${escaped(page.title)}</a></li>`
  const parts = page.headings.filter(({ level }) => level === 2)
  const list = parts.map(({ id, words }) => `<li><a href="#${id}">${escaped(words)}</a></li>`)
  const inner = list.length > 0 ? `<ul>${list.join('')}</ul>` : ''
  return `<li><a href="${page.path}" aria-current="page">${escaped(page.title)}</a>${inner}</li>`
}

/** The first words of the text, for search engines; the operating manual is not for them. */
function about({ path, title, html }: Page): string {
  if (path.startsWith('/docs/operating/')) return '<meta name="robots" content="noindex">'
  const [, first = ''] = /<p>(.*?)<\/p>/s.exec(html) ?? []
  const words =
    first
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim() || title
  const whole = words.length <= DESCRIPTION_MAX
  const text = whole ? words : `${words.slice(0, DESCRIPTION_MAX - 2).replace(/\s\S*$/, '')} …`
  return `<meta name="description" content="${text.replaceAll('"', '&#34;')}">`
}
