import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@ergon/contract'
import { errorPages } from './errors.ts'
import { eventsPage } from './events.ts'
import { homePage } from './home.ts'
import { renderMarkdown } from './markdown.ts'
import type { Page, Section, Source } from './page.ts'
import { referencePages } from './reference.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCS = join(ROOT, 'docs')
/** The README of the SDK's package is a page of the guide, too. */
const SDK_README = '../../sdk/README.md'
const SDK_METHODS = 'guide/sdk-methods'
const GUIDE = [
  'start',
  'sdk',
  'deposits',
  'webhooks',
  'autoenergy',
  'agent',
  'chat',
  'errors',
  'sandbox',
  'command',
  'mcp',
]
const OPERATING = [
  'going-live',
  'machines',
  'backup',
  'upgrade',
  'monitoring',
  'incidents',
  'commands',
]

/** The clients' documentation and, apart from it, the operating manual. */
export function readSite(): { client: Section[]; operating: Section[] } {
  const guide = filesOf('guide', GUIDE)
  guide.splice(GUIDE.indexOf('sdk') + 1, 0, sdkMethods())
  const isRecipe = ({ path }: Source) => path.startsWith('guide/recipe-')
  const client = [
    section('Ergon', [homePage()]),
    section(
      'Guide',
      guide.filter((page) => !isRecipe(page)),
    ),
    section('Recipes', guide.filter(isRecipe)),
    section('Reference', [...referencePages(), eventsPage()]),
    section('Errors', errorPages(routes)),
  ]
  const [, ...codes] = client.at(-1)!.pages
  for (const page of codes) page.isHidden = true
  return { client, operating: [section('Operating', filesOf('operating', OPERATING))] }
}

function section(title: string, sources: Source[]): Section {
  return { title, pages: sources.map(render) }
}

function render({ path, text }: Source): Page {
  return {
    path: path ? `/docs/${path}` : '/docs',
    ...renderMarkdown(text, (target) => linkOf(path, target)),
  }
}

function filesOf(folder: string, order: readonly string[]): Source[] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  const names = readdirSync(join(DOCS, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace(/\.md$/, ''))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  return names.map((name) => {
    const text = readFileSync(join(DOCS, folder, `${name}.md`), 'utf8')
    return { path: `${folder}/${name}`, text }
  })
}

function sdkMethods(): Source {
  const text = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8')
  return { path: SDK_METHODS, text: text.replace(/^# .*/, '# The SDK, method by method') }
}

/** A page's neighbour is a page here too; a file that is only in the repository is named, not linked. */
function linkOf(page: string, target: string): string | undefined {
  if (/^(https?:\/\/|\/|#)/.test(target)) return target
  if (target === SDK_README) return `/docs/${SDK_METHODS}`
  const [folder = ''] = page.split('/')
  // A drawing is part of its page.
  if (/^[\w-]+\.svg$/.test(target)) {
    return `data:image/svg+xml;base64,${readFileSync(join(DOCS, folder, target)).toString('base64')}`
  }
  const [, other = folder, file, anchor = ''] =
    /^(?:\.\.\/(guide|operating)\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(target) ?? []
  // The manual is not served in production, so the guide does not link to it.
  if (file === undefined || (other === 'operating' && folder !== other)) return undefined
  return `/docs/${other}/${file}${anchor}`
}
