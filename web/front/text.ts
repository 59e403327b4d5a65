import { renderMarkdown } from '../docs/markdown.ts'
import { escaped } from '../shared/html.ts'
import { documentOf, type PlainFiles } from './document.ts'

/** A text of the operator: the terms, or the privacy notice. */
export type TextOfOperator = {
  document: 'terms' | 'privacy'
  version: string
  /** The day on which this version was shown first. */
  since: Date
  text: string
  isSample: boolean
}

const NAMES = { terms: 'Terms', privacy: 'Privacy' } as const

/** Links to both texts, as far as there are any. */
export const textLinks = (documents: readonly TextOfOperator['document'][]) =>
  documents.map((document) => `<a href="/${document}">${NAMES[document]}</a>`)

/** Only addresses that a reader expects: no script, no file. Everything else stays words. */
const linkOf = (target: string) =>
  /^(https:\/\/|mailto:|#|\/(?!\/))/.test(target) ? target : undefined

export function textPage(
  { document, version, since, text, isSample }: TextOfOperator,
  { files, documents }: { files: PlainFiles; documents: readonly TextOfOperator['document'][] },
): string {
  const { title, html } = renderMarkdown(text, linkOf)
  const sample = isSample
    ? '<p class="soft"><strong>A sample of the sandbox.</strong> It binds nobody.</p>\n'
    : ''
  const name = escaped(title || NAMES[document])
  return documentOf({
    title: `${title || NAMES[document]} · Ergon`,
    files: { ...files, script: undefined },
    main: `<article class="card text">
${title ? '' : `<h1>${name}</h1>\n`}${sample}${html}
<p class="soft">Version ${escaped(version)}, shown since ${since.toISOString().slice(0, 10)}.</p>
</article>`,
    footer: textLinks(documents).join(' · '),
  })
}
