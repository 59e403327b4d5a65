import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'

const root = join(import.meta.dirname, '..')
const pages = ['*.md', 'docs/**/*.md', '{contract,tron,devnet}/*.md', 'service/*/*.md'].flatMap(
  (pattern) => globSync(pattern, { cwd: root }),
)

test.each(Object.entries(settings))(
  'the README says of %s what the settings say',
  (name, setting) => {
    const value = setting.default && `\`${setting.default}\``
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(
      `| \`${name}\` | ${value} | ${setting.meaning} |`,
    )
  },
)

test.each(pages)('%s: every link leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!)
  const local = links.filter((link) => !/^https?:/.test(link))
  const dead = local.filter((link) => !existsSync(join(root, dirname(page), link)))
  expect(dead).toEqual([])
})
