import { expect } from 'vitest'

/** At the end of a body: the message and the address beside `detail`. */
const BESIDE = /,"message":"((?:[^"\\]|\\.)*)","doc_url":"([^"]*)"\}$/
const WITHIN = /,"doc_url":"([^"]*)"(?=[,}])/g
const WORDS = /"message":"((?:[^"\\]|\\.)*)"/

/**
 * A refusal as api.md fixes it, byte for byte: without doc_url, and without the message beside `detail`. It
 * checks that both are there, so every test that meets a refusal does.
 */
export function fixedPart(text: string): string {
  if (!text.includes('"detail":')) return text
  const beside = BESIDE.exec(text)
  const urls = beside ? [beside[2]!] : [...text.matchAll(WITHIN)].map(([, url]) => url!)
  expect(urls, text).not.toEqual([])
  for (const url of urls) expect(url).toMatch(/^(https?:\/\/[^/]+)?\/docs\/errors\/[a-z_]+$/)
  expect(beside?.[1] ?? WORDS.exec(text)?.[1], text).toMatch(/\S/)
  return text.replace(BESIDE, '}').replaceAll(WITHIN, '')
}
