import { expect, test } from 'vitest'
import { NothingToOffer } from './provider.ts'
import { createUnreadable } from './unreadable.ts'

test('a trouble is logged when it begins, when it changes and when it is over', () => {
  const said: unknown[] = []
  const note = (name: string, { provider }: { provider?: string } = {}) =>
    said.push([name, provider])
  const readings = createUnreadable({ writesInfo: true, info: note, warn: note, error: note })
  readings.well('itrx')
  for (let poll = 0; poll < 3; poll++) readings.failed('itrx', new Error('no answer'))
  readings.failed('catfee', new Error('no answer'))
  readings.failed('itrx', new NothingToOffer('no stake'))
  readings.well('itrx')
  readings.well('itrx')
  readings.failed('itrx', new Error('no answer'))
  expect(said).toEqual([
    ['offer_unreadable', 'itrx'],
    ['offer_unreadable', 'catfee'],
    ['nothing_to_offer', 'itrx'],
    ['offer_readable', 'itrx'],
    ['offer_unreadable', 'itrx'],
  ])
})
