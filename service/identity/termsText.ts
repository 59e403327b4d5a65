export type Document = 'terms' | 'privacy'
export const DOCUMENTS: readonly Document[] = ['terms', 'privacy']

/** A text of the operator as its file has it, without the front matter; or a sample of the sandbox. */
export type TermsText = {
  document: Document
  version: string
  sha256: string
  text: string
  isSample: boolean
}

/** What a person said to have accepted: a version of each document. */
export type Said = { [Of in Document]?: string | undefined }

/** A version that was accepted, and when. */
export type Accepted = { document: Document; version: string; sha256: string; at: string }
