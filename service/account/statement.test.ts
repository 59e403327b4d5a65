import { expect, test } from 'vitest'
import { csvLine } from './statement.ts'

test.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1+1', "'+1+1"],
  ['-1+1', "'-1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', `"'\rx"`],
])('%j is no formula in a spreadsheet', (given, written) => {
  expect(csvLine([given])).toBe(`${written}\r\n`)
})

test('amounts stay numbers; commas, quotes and lines stay in their cell', () => {
  expect(csvLine(['-2.145', '0', 'a,b', 'a"b', 'a\nb', ''])).toBe(
    '-2.145,0,"a,b","a""b","a\nb",\r\n',
  )
})
