import { expect, test } from 'vitest'
import { grouped, trx } from './amounts.ts'
import { languageOf, messagesOf } from './language.ts'

test.each([
  [undefined, undefined, 'en'],
  [undefined, 'zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  [undefined, 'fr, ru;q=0.3, es;q=0.7', 'es'],
  [undefined, 'es;q=0, RU-ru', 'ru'],
  [undefined, '*', 'en'],
  ['es', 'zh', 'es'],
  ['ES-mx', 'zh', 'es'],
  ['constructor', 'zh', 'zh'],
  [['es', 'ru'], 'zh', 'zh'],
] as const)('asked for %s, accepting %s: %s', (asked, accepted, language) => {
  expect(languageOf(asked, accepted)).toBe(language)
})

/** Every message with its path and the names in its braces. */
function blanks(messages: object, path = ''): [string, string[]][] {
  return Object.entries(messages).flatMap(([key, value]): [string, string[]][] =>
    typeof value === 'string'
      ? [[`${path}${key}`, (value.match(/\{\w+\}/g) ?? []).toSorted()]]
      : blanks(value, `${path}${key}.`),
  )
}

test.each(['zh', 'ru', 'es'] as const)('%s says the same things as English', (language) => {
  expect(blanks(messagesOf(language))).toEqual(blanks(messagesOf('en')))
  for (const [path] of blanks(messagesOf(language))) expect(path).toMatch(/\w/)
})

test('amounts are written as wallets take them', () => {
  expect([0n, 1n, 3_200_000n, 10_000_000n, 1_000_001n].map(trx)).toEqual([
    '0',
    '0.000001',
    '3.2',
    '10',
    '1.000001',
  ])
  expect(grouped(65_000n, 'en')).toBe('65,000')
  expect(grouped(1_310_000n, 'ru')).toBe('1\u00a0310\u00a0000')
})
