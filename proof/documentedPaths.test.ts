import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { absentPaths, pathsIn } from './testing/documentedPaths.ts'

// Every path that README, ARCHITECTURE, SECURITY and the READMEs of rooms and packages name exists.

const root = join(import.meta.dirname, '..')
const ofParts = globSync('{service/*,cli,contract,deploy,devnet,proof,sdk,tron,web}/README.md', {
  cwd: root,
})
const pages = ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', ...ofParts.sort()]

test.each(pages)('%s: every path in it exists', (page) => {
  expect(absentPaths(root, page, readFileSync(join(root, page), 'utf8'))).toEqual([])
})

test('the architecture page names files', () => {
  const named = pathsIn(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))
  expect(named).toContain('service/app/main.ts')
  expect(named.length).toBeGreaterThan(40)
})

test('a path that does not exist is found', () => {
  const text = [
    'Buying is in `buy.ts`, the entry in `service/app/main.ts`, see [the guide](../../docs/guide/start.md).',
    'Wrong: `sell.ts`, `service/nowhere`, `schema/none.sql`, `none/`, [a link](none.md#part).',
    'No paths: `npm start`, `/openapi.json`, `.data/sandbox.json`, `orders.buy_many`, `a/b`, `index.ts`.',
    '```sh\nnode proof/none.ts\n```',
  ].join('\n')
  expect(absentPaths(root, 'service/orders/README.md', text)).toEqual([
    'none.md',
    'sell.ts',
    'service/nowhere',
    'schema/none.sql',
    'none/',
  ])
})
