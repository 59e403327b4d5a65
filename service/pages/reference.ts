import { type RefusalCode, type Route, refusals } from '@ergon/contract'
import { escaped } from './escaped.ts'

/** The API reference as one page: no script, no request to anybody else, readable on a phone. */
export function referencePage(routes: readonly Route[], guide: string): string {
  const groups = [...Map.groupBy(routes, (route) => route.group)]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Ergon API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<header>
  <h1>Ergon API</h1>
  <p>Send your key as <code>X-API-Key</code>. Amounts in <code>*_sun</code> are
  integers, in <code>*_trx</code> decimal strings. Besides the refusals listed, a call with a key may answer 401 or 429,
  and one with fields 422 with every fault of the request. Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
  <nav class="guide" aria-label="Guide">${guide}</nav>
  <nav aria-label="Endpoints">${routes.map((r) => `<a href="#${r.name}"><b>${r.method}</b> ${escaped(r.path)}</a>`).join('\n')}</nav>
</header>
<main>
${groups.map(([name, members]) => `<h2>${escaped(name)}</h2>\n${members.map(section).join('\n')}`).join('\n')}
</main>
</html>
`
}

function section(route: Route): string {
  return `<section id="${route.name}">
<h3><b>${route.method}</b> <code>${escaped(route.path)}</code></h3>
<p>${escaped(route.summary)}. ${escaped(route.description ?? '')}</p>
${fields('Path', route.params)}${fields('Query', route.query)}${fields('Headers', route.headers)}${fields('Body', route.body)}
${fields(`Answer ${route.reply.status}`, route.reply.schema)}
${refusalTable(route.refusals)}
</section>`
}

type Shape = {
  properties?: Record<string, { type?: string; description?: string; nullable?: boolean }>
  required?: readonly string[]
}

function fields(title: string, schema: unknown): string {
  const { properties, required = [] } = (schema ?? {}) as Shape
  if (!properties) return ''
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `<tr><td><code>${breakable(name)}</code></td><td>${field.type ?? ''}${field.nullable ? ' or null' : ''}${required.includes(name) ? '' : ', optional'}</td><td>${escaped(field.description ?? '')}</td></tr>`,
  )
  return `<h4>${title}</h4><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function refusalTable(codes: readonly RefusalCode[]): string {
  if (codes.length === 0) return ''
  const rows = codes.map((code) => {
    const { status, when } = refusals[code]
    return `<tr><td>${status}</td><td><code>${breakable(code)}</code></td><td>${escaped(when)}</td></tr>`
  })
  return `<h4>Refusals</h4><table><thead><tr><th>Status</th><th>Code</th><th>When</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** A long name may be broken between its words, never inside one. */
function breakable(name: string): string {
  return escaped(name).replaceAll(/[_.]/g, '$&<wbr>')
}

export const referenceStyle = `
:root { --ink: #1c1e21; --soft: #5c636b; --line: #e2e5e9; --paper: #fff; --accent: #9a6200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa3ad; --line: #30363d; --paper: #14171a; --accent: #f5a524; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 880px; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 28px; margin: 0 0 8px; } h2 { margin: 48px 0 8px; } h3 { font-size: 18px; margin: 40px 0 8px; overflow-wrap: anywhere; }
h4 { margin: 20px 0 4px; color: var(--soft); font-size: 14px; }
b { color: var(--accent); font-weight: 600; } a { color: inherit; }
code { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
td code { overflow-wrap: normal; } @media (min-width: 700px) { wbr { display: none; } }
nav { display: grid; gap: 4px; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); margin-top: 16px; font: 14px ui-monospace, monospace; }
nav a { text-decoration: none; padding: 8px 0; overflow-wrap: anywhere; min-width: 0; }
nav.guide { display: flex; flex-wrap: wrap; gap: 0 16px; font: inherit; font-size: 15px; } nav.guide a { text-decoration: underline; }
section { border-top: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; font-size: 15px; }
td, th { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
@media (max-width: 480px) { td:nth-child(2) { color: var(--soft); } td, th { padding-right: 8px; font-size: 14px; } }
`
