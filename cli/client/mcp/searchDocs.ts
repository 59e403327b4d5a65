import { find } from '../../../web/docs/rank.ts'
import type { Entry } from '../../../web/docs/search.ts'

/** Searches the documentation of the service, as its page does. The index is loaded at the first search. */
export function createDocsSearch(web: string) {
  let index: Promise<Entry[]> | undefined

  async function load(): Promise<Entry[]> {
    const page = await (await fetch(new URL('/docs', web))).text()
    const [, path] = /data-search="([^"]+)"/.exec(page) ?? []
    if (!path) throw new Error(`There is no documentation at ${web}/docs.`)
    return (await (await fetch(new URL(path, web))).json()) as Entry[]
  }

  return async (query: string) => {
    index ??= load()
    const entries = await index.catch((error) => {
      index = undefined
      throw error
    })
    return find(entries, query).map(({ entry: [path, title, heading, text] }) => ({
      url: new URL(path, web).href,
      title: heading ? `${title}: ${heading}` : title,
      text,
    }))
  }
}
