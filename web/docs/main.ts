// The script of the documentation: theme, menu, tabs, copy buttons, search, requests to a sandbox. Without it every page can be read.
import { createSearch } from './find.ts'
import { prepareTrying } from './tryIt.ts'

const root = document.documentElement
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const storage = (() => {
  try {
    return window.localStorage
  } catch {
    return undefined
  }
})()

function themeNow(): Theme {
  const kept = storage?.getItem('docs-theme') as Theme | null | undefined
  return kept && THEMES.includes(kept) ? kept : 'system'
}

function show(theme: Theme) {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}

function prepareTheme() {
  const button = document.querySelector<HTMLButtonElement>('#theme')!
  const label = () => {
    button.textContent = `Theme: ${themeNow()}`
  }
  label()
  button.hidden = false
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length]!
    storage?.setItem('docs-theme', next)
    show(next)
    label()
  })
}

function prepareMenu() {
  const button = document.querySelector<HTMLButtonElement>('#menu')!
  button.hidden = false
  button.addEventListener('click', () => {
    const isOpen = root.classList.toggle('menu')
    button.setAttribute('aria-expanded', String(isOpen))
  })
  const current = document.querySelector('nav [aria-current]')
  const { top = 0 } = current?.getBoundingClientRect() ?? {}
  if (top > window.innerHeight) document.querySelector('nav')!.scrollTop = top - 200
}

function prepareCopying() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code')!.textContent!)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1_500)
    })
    block.append(button)
  }
}

/** A language that was chosen once is chosen everywhere. */
function prepareTabs() {
  const groups = [...document.querySelectorAll('.tabs')]
  const choose = (name: string) => {
    for (const group of groups) {
      const tabs = [...group.querySelectorAll<HTMLElement>('.tab')]
      if (!tabs.some((tab) => tab.dataset.name === name)) continue
      for (const tab of tabs) tab.hidden = tab.dataset.name !== name
      for (const button of group.querySelectorAll('.names button')) {
        button.setAttribute('aria-pressed', String(button.textContent === name))
      }
    }
  }
  for (const group of groups) {
    const names = document.createElement('div')
    names.className = 'names'
    for (const tab of group.querySelectorAll<HTMLElement>('.tab')) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = tab.dataset.name!
      button.addEventListener('click', () => {
        storage?.setItem('docs-language', button.textContent!)
        // The buttons above change height too: keep the one that was clicked where it is.
        const { top } = button.getBoundingClientRect()
        choose(button.textContent!)
        window.scrollBy(0, button.getBoundingClientRect().top - top)
      })
      names.append(button)
    }
    group.prepend(names)
    choose(group.querySelector<HTMLElement>('.tab')!.dataset.name!)
  }
  const kept = storage?.getItem('docs-language')
  if (kept) choose(kept)
}

show(themeNow())
root.classList.add('js')
const { search } = (document.currentScript as HTMLScriptElement).dataset
document.addEventListener('DOMContentLoaded', () => {
  prepareTheme()
  prepareMenu()
  prepareTabs()
  prepareCopying()
  prepareTrying()
  createSearch(search!)
  // The tabs have changed the heights above the place that the address names.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
})
