import { expect, test } from 'vitest'
import { dateWords, dayWords, monthWords, spanWords, whenWords } from './times.ts'

const at = (text: string) => new Date(text).getTime()
const NOW = at('2026-11-19T14:59:00')

test.each([
  ['2026-11-19T14:58:30', 'just now'],
  ['2026-11-19T14:55:00', '4 min ago'],
  ['2026-11-19T15:55:00', 'in 56 min'],
  ['2026-11-19T13:59:00', '19 Nov 13:59'],
  ['2025-02-03T04:05:06', '3 Feb 2025'],
])('%s is told as %s', (time, words) => expect(whenWords(at(time), NOW)).toBe(words))

test('a date, a day, a month and a span', () => {
  expect(dateWords(at('2026-11-07T09:05:00'), NOW)).toBe('7 Nov 09:05')
  expect(dayWords('2026-11-07')).toBe('7 Nov')
  expect(monthWords('2026-11')).toBe('November 2026')
  expect([59, 60, 125, 6180].map((minutes) => spanWords(minutes * 60_000))).toEqual([
    '59 min',
    '1 h',
    '2 h 5 min',
    '4 days',
  ])
})
