import { escaped, icons } from '../shared/html.ts'

/** The URLs of the files; without a script a page shows what needs none. */
export type PlainFiles = { style: string; script: string | undefined; icon: string | undefined }

type Parts = {
  title: string
  /** For search engines; absent: they are asked to leave the page out. */
  description?: string
  files: PlainFiles
  main: string
  footer: string
}

/** A page for everybody: the brand, links to the documentation and the workspace, and the text. */
export function documentOf({ title, description, files, main, footer }: Parts): string {
  const about = description
    ? `<meta name="description" content="${escaped(description)}">`
    : '<meta name="robots" content="noindex">'
  const { style, script, icon } = files
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${about}
<title>${escaped(title)}</title>
<link rel="icon" href="${icon ?? 'data:,'}">
<link rel="stylesheet" href="${style}">
${script ? `<script type="module" src="${script}"></script>\n` : ''}</head>
<body${script ? '' : ' class="plain"'}>
<header>
<a class="brand" href="/">${icons.bolt}Ergon</a>
<nav aria-label="Main"><a href="/docs">Docs</a><a href="/status">Status</a><a href="/overview">Sign in</a></nav>
</header>
<main>
${main}
</main>
<footer>${footer}</footer>
</body>
</html>
`
}
