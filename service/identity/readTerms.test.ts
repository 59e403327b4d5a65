import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../kernel/index.ts'
import { readTerms, termsTroubles } from './readTerms.ts'

const folder = mkdtempSync(join(tmpdir(), 'ergon-terms-'))
afterAll(() => rmSync(folder, { recursive: true }))
const put = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const settingsOf = (TERMS_FILE: string) => readSettings({ MODE: 'production', TERMS_FILE })
const read = (file: string) => readTerms(settingsOf(file))[0]!

test('a version is what the front matter says, or comes from the text', () => {
  const named = read(put('named.md', '---\nversion: 2026-11 b\n---\n# Terms\n'))
  expect(named).toMatchObject({ document: 'terms', version: '2026-11 b', text: '# Terms' })
  const [one, other] = [read(put('one.txt', 'Terms 1')), read(put('two.txt', 'Terms 2'))]
  expect(one.version).toMatch(/^[0-9a-f]{12}$/)
  expect(one.version).not.toBe(other.version)
  expect(one.sha256.startsWith(one.version)).toBe(true)
})

test('what is no text of that kind is refused with the name of the setting, and never shown', () => {
  mkdirSync(join(folder, 'folder.md'))
  const secret = put('secrets.key', 'a secret')
  symlinkSync(secret, join(folder, 'link.md'))
  const wrong = {
    [secret]: 'ends neither in .md nor in .txt',
    '../../../etc/passwd': /there is no file|ends neither/,
    '/etc/passwd': 'ends neither',
    [join(folder, 'link.md')]: 'ends neither',
    [join(folder, 'none.md')]: 'there is no file',
    [join(folder, 'folder.md')]: 'is not a file of at most 256 KiB',
    [put('large.md', 'x'.repeat(262_145))]: 'is not a file of at most 256 KiB',
    [put('empty.md', '---\nversion: 1\n---\n\n')]: 'has no text',
    [put('bytes.md', Buffer.from([0x23, 0xff, 0xfe]))]: 'cannot be read as UTF-8',
    [put('version.md', '---\nversion: "><script>\n---\n# Terms')]: 'the version in',
  }
  for (const [file, words] of Object.entries(wrong)) {
    expect(() => read(file)).toThrow(words)
    const [found] = termsTroubles(settingsOf(file))
    expect(found!.trouble).toMatch(/^TERMS_FILE: /)
    expect(found!.trouble).not.toContain('a secret')
  }
})
