import { type EventType, eventTypes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { messageFor, plain } from './messages.ts'

const types = Object.keys(eventTypes) as EventType[]

/** A sample value for each field of a payload. */
function sampleOf(type: EventType): Record<string, unknown> {
  const fields = eventTypes[type].data.properties as Record<
    string,
    { type?: string; enum?: unknown[] }
  >
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type: kind, enum: updates }]) => {
      if (updates) return [name, updates[0]]
      return [name, kind === 'integer' ? 1_500_000 : kind === 'boolean' ? true : `<${name}>`]
    }),
  )
}

test.each(types)('%s becomes a message that says what is in it', (type) => {
  const updates = messageFor({ type, data: JSON.stringify(sampleOf(type)) })
  expect(updates).not.toMatch(/undefined|null|NaN|\[object/)
  expect(updates.length).toBeGreaterThan(5)
  expect(updates.length).toBeLessThan(1_000)
})

test('amounts above 2^53 are exact', () => {
  const data = JSON.stringify(sampleOf('balance.low')).replace(/1500000/, '9007199254740993')
  const sums = data.replace('"balance_sun":1500000', '"balance_sun":9007199254740993')
  expect(messageFor({ type: 'balance.low', data: sums })).toContain('9007199254.740993 TRX')
})

test('a configuration without a title is named by its pay page', () => {
  const data = JSON.stringify({ ...sampleOf('agent.sale'), title: '' })
  expect(messageFor({ type: 'agent.sale', data })).toContain('Sale at <public_id>:')
})

test('text of others stays on one line, without marks that turn the writing, and bounded', () => {
  expect(plain('a\r\nb\tc\u0000d\u202ee\u2028f')).toBe('a b c d e f')
  expect(plain('x'.repeat(500))).toHaveLength(200)
  expect([...plain('😀'.repeat(500), 3)]).toEqual(['😀', '😀', '…'])
})
