import { expect, test } from 'vitest'
import { find } from './rank.ts'
import type { Entry } from './search.ts'

const part = (path: string, heading: string, text: string): Entry => [path, 'A page', heading, text]
const paths = (entries: Entry[], query: string) =>
  find(entries, query).map(({ entry: [path] }) => path)

test('every word has to be there, and a heading counts more than the text', () => {
  const entries = [
    part('/a', 'Deposits', 'TRX that you send'),
    part('/b', 'Balance', 'deposits raise it'),
    part('/c', 'Orders', 'nothing of it'),
  ]
  expect(paths(entries, 'deposits')).toEqual(['/a', '/b'])
  expect(paths(entries, 'DEPOSITS raise')).toEqual(['/b'])
  expect(paths(entries, 'deposits orders')).toEqual([])
})

test('a page with many fitting parts leaves room for others', () => {
  const many = Array.from({ length: 9 }, (_, at) => part(`/a#${at}`, 'Price', 'price'))
  expect(paths([...many, part('/b', 'Other', 'price')], 'price')).toEqual([
    '/a#0',
    '/a#1',
    '/a#2',
    '/b',
  ])
})

test('the excerpt is around the word', () => {
  const text = `${'before '.repeat(30)}needle ${'after '.repeat(30)}`
  const [hit] = find([part('/a', 'X', text)], 'needle')
  expect(hit!.excerpt).toMatch(/^….*needle.*…$/)
})
