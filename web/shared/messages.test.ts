import { expect, test } from 'vitest'
import { ApiTrouble } from './api.ts'
import { messageOf } from './messages.ts'

test.each(['batch_refused', 'replay_running', 'not_deliverable'])(
  '%s is told in words for people, not in those for programs',
  (error) => {
    const sentence =
      'Send it again with the same keys; GET /v1/webhooks/{id}/deliveries shows how far it is.'
    const words = messageOf(new ApiTrouble(409, { error }, sentence))
    expect(words).not.toMatch(/\/v1|key|_/)
    expect(words).not.toBe(messageOf(new ApiTrouble(409, { error: 'another' })))
  },
)

test('a budget that is no amount is told by its name in the form and by an example', () => {
  const fault = {
    loc: ['body', 'daily_budget_trx'],
    msg: 'Has the wrong form',
    type: 'string_pattern',
  }
  const batch = { ...fault, loc: ['body', 'subscriptions', 0, 'monthly_budget_trx'] }
  expect(messageOf(new ApiTrouble(422, [fault]))).toContain('budget a day is an amount in TRX')
  expect(messageOf(new ApiTrouble(422, [batch]))).toContain('budget a month is an amount in TRX')
})
