export type Loaded<Page, Item> = {
  page: Page
  items: Item[]
  next: (() => LoadPage<Page, Item>) | undefined
}
type LoadPage<Page, Item> = Promise<Loaded<Page, Item>>

const REMEMBERED = 1_000

/**
 * A list of the service, newest first, read page by page during the iteration: `for await (const
 * order of ergon.orders()) …`
 */
export class List<Item, Page> implements AsyncIterable<Item> {
  readonly #first: () => LoadPage<Page, Item>
  readonly #idOf: ((item: Item) => string) | undefined

  constructor(first: () => LoadPage<Page, Item>, idOf?: (item: Item) => string) {
    this.#first = first
    this.#idOf = idOf
  }

  /** The answers, page by page. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for await (const { page } of this.#load()) yield page
  }

  /**
   * Yields each item once: a new item at the head moves older ones to the next page, where they
   * appear again.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const seen = new Set<string>()
    for await (const { items } of this.#load()) {
      for (const item of items) {
        if (this.#isRepeated(item, seen)) continue
        yield item
      }
    }
  }

  /** The newest `count` items. */
  async take(count: number): Promise<Item[]> {
    const taken: Item[] = []
    if (count <= 0) return taken
    for await (const item of this) {
      taken.push(item)
      if (taken.length >= count) break
    }
    return taken
  }

  #isRepeated(item: Item, seen: Set<string>): boolean {
    if (!this.#idOf) return false
    const id = this.#idOf(item)
    if (seen.has(id)) return true
    for (const oldest of seen.size < REMEMBERED ? [] : [...seen].slice(0, 100)) seen.delete(oldest)
    seen.add(id)
    return false
  }

  async *#load() {
    let load: (() => LoadPage<Page, Item>) | undefined = this.#first
    while (load) {
      const loaded: Loaded<Page, Item> = await load()
      yield loaded
      load = loaded.next
    }
  }
}
