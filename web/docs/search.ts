import type { Page } from './page.ts'

/** One part of a page, as the search finds it: [path with anchor, title of the page, heading, text]. */
export type Entry = [path: string, title: string, heading: string, text: string]

export function searchEntries(pages: readonly Page[]): Entry[] {
  return pages.flatMap(({ path, title, html }) =>
    html
      .split(/(?=<h[1-3] id=)/)
      .map((part): Entry => {
        const [, id = '', heading = ''] = /^<h[1-3] id="([^"]*)">(.*?)<\/h/.exec(part) ?? []
        const text = plain(part.replace(/^<h[1-3].*?<\/h[1-3]>/, ''))
        return [id ? `${path}#${id}` : path, title, plain(heading), text]
      })
      .filter(([, , heading, text]) => heading !== '' || text !== ''),
  )
}

/** Words without tags and entities: the index is text, and the page shows it as text. */
function plain(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .trim()
}
