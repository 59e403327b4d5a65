import { find } from './rank.ts'
import type { Entry } from './search.ts'

/** The search field: the index is loaded when the field is first used. */
export function createSearch(address: string) {
  const form = document.querySelector<HTMLFormElement>('#search')!
  const field = document.querySelector<HTMLInputElement>('#query')!
  const found = document.querySelector<HTMLElement>('#found')!
  let index: Promise<Entry[]> | undefined
  const load = () => {
    index ??= fetch(address).then((answer) => answer.json() as Promise<Entry[]>)
    return index
  }

  async function look() {
    const query = field.value
    const entries = await load()
    if (query !== field.value) return
    found.replaceChildren()
    if (query.trim().length < 2) return
    const hits = find(entries, query)
    if (hits.length === 0) found.append(line('p', 'Nothing found.'))
    for (const { entry, excerpt } of hits) found.append(link(entry, excerpt))
  }

  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    found.querySelector('a')?.click()
  })
  field.addEventListener('focus', load)
  field.addEventListener('input', look)
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA)$/.test((event.target as Element).tagName)
    if (event.key === '/' && !isTyping) {
      event.preventDefault()
      field.focus()
    }
    if (event.key === 'Escape') close()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event)
  })
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target as Node) || (event.target as Element).closest('a')) close()
  })

  function close() {
    found.replaceChildren()
  }

  function move(event: KeyboardEvent) {
    const links = [...found.querySelectorAll('a')]
    if (links.length === 0 || !form.contains(document.activeElement)) return
    event.preventDefault()
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    const next = at + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) field.focus()
    else links[Math.min(next, links.length - 1)]!.focus()
  }
}

function link([path, title, heading]: Entry, excerpt: string): HTMLElement {
  const anchor = document.createElement('a')
  anchor.href = path
  const words = heading && heading !== title ? `${title} › ${heading}` : title
  anchor.append(line('strong', words), line('span', excerpt))
  return anchor
}

function line(tag: string, words: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = words
  return element
}
