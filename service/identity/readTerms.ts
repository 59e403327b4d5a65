import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CannotStart, type Settings } from '../kernel/index.ts'
import { DOCUMENTS, type Document, type TermsText } from './termsText.ts'

const SETTINGS = { terms: 'TERMS_FILE', privacy: 'PRIVACY_FILE' } as const
const SAMPLES = join(import.meta.dirname, 'samples')
const BYTES_MAX = 262_144
/** A link to a file of another kind is not followed: what is named here is shown to everybody. */
const KINDS = ['.md', '.txt']
const FRONT = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/
const VERSION = /^[\w][\w.:+ -]{0,59}$/

/** The texts that the settings name; in the sandbox a sample where there is none. */
export function readTerms(settings: Settings): TermsText[] {
  return DOCUMENTS.flatMap((document) => {
    const file = settings[SETTINGS[document]]
    if (file) return read(document, file, false)
    const isSandbox = settings.MODE === 'sandbox'
    return isSandbox ? read(document, join(SAMPLES, `${document}.md`), true) : []
  })
}

/** For each document: whether there is a text, or what is wrong with its file. */
export function termsTroubles(settings: Settings) {
  return DOCUMENTS.map((document) => {
    const setting = SETTINGS[document]
    const file = settings[setting]
    try {
      if (file) read(document, file, false)
      return { setting, file, trouble: undefined }
    } catch (error) {
      return { setting, file, trouble: (error as Error).message }
    }
  })
}

function read(document: Document, file: string, isSample: boolean): TermsText {
  const wrong = (what: string) => new CannotStart(`${SETTINGS[document]}: ${what}`)
  const whole = contentOf(file, wrong)
  const front = FRONT.exec(whole)
  const text = whole.slice(front?.[0].length ?? 0).trim()
  if (text === '') throw wrong(`${file} has no text.`)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const named = /^version:[ \t]*(.*?)[ \t]*$/m.exec(front?.[1] ?? '')?.[1]
  if (named !== undefined && !VERSION.test(named)) {
    throw wrong(`the version in ${file} is not 1 to 60 letters, digits, spaces and . : + - _`)
  }
  return { document, version: named ?? sha256.slice(0, 12), sha256, text, isSample }
}

function contentOf(file: string, wrong: (what: string) => Error): string {
  let path: string
  try {
    path = realpathSync(file)
  } catch {
    throw wrong(`there is no file ${file}.`)
  }
  if (!KINDS.includes(extname(path))) throw wrong(`${file} ends neither in .md nor in .txt.`)
  const found = statSync(path)
  if (!found.isFile() || found.size > BYTES_MAX) {
    throw wrong(`${file} is not a file of at most 256 KiB.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch {
    throw wrong(`${file} cannot be read as UTF-8.`)
  }
}
