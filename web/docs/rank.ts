import type { Entry } from './search.ts'

type Hit = { entry: Entry; excerpt: string }

const HITS_MAX = 12
/** A page with many fitting parts does not push others away. */
const PER_PAGE_MAX = 3
const EXCERPT = 90

/** Parts of pages that have every word of the query, those with the words in a heading first. */
export function find(entries: readonly Entry[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const rated = entries.flatMap((entry) => {
    const score = scoreOf(entry, words)
    return score > 0 ? [{ entry, score }] : []
  })
  rated.sort((a, b) => b.score - a.score)
  const perPage = new Map<string, number>()
  const best = rated.filter(({ entry: [path] }) => {
    const [page = ''] = path.split('#')
    perPage.set(page, (perPage.get(page) ?? 0) + 1)
    return perPage.get(page)! <= PER_PAGE_MAX
  })
  return best.slice(0, HITS_MAX).map(({ entry }) => ({ entry, excerpt: excerptOf(entry, words) }))
}

function scoreOf([path, title, heading, text]: Entry, words: string[]): number {
  let sum = 0
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word)
    const inTitle = title.toLowerCase().includes(word)
    const inText = text.toLowerCase().includes(word)
    if (!inHeading && !inTitle && !inText) return 0
    sum += (inHeading ? 20 : 0) + (inTitle ? 6 : 0) + (inText ? 1 : 0)
    if (heading.toLowerCase() === word) sum += 30
  }
  // Pages of single refusals are many and short; they come after others that fit as well.
  return path.includes('/errors/') ? sum - 0.5 : sum
}

function excerptOf([, , , text]: Entry, words: string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]!))
  const start = Math.max(0, at - EXCERPT / 3)
  const piece = text.slice(start, start + EXCERPT)
  return `${start > 0 ? '…' : ''}${piece}${start + EXCERPT < text.length ? '…' : ''}`
}
