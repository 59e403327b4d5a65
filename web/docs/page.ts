import type { Heading } from './markdown.ts'

/** A page before it is rendered: its address below /docs, and its text in Markdown. */
export type Source = { path: string; text: string }
export type Section = { title: string; pages: Page[] }
export type Page = {
  path: string
  title: string
  html: string
  headings: Heading[]
  /** Not in the navigation: the pages of refusals. */
  isHidden?: boolean
}
