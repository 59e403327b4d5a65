import { expect, test } from 'vitest'
import { attentionOf } from './attention.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const titles = (known: Omit<Parameters<typeof attentionOf>[0], 'nowMs'>) =>
  attentionOf({ nowMs: NOW, ...known }).map(({ title }) => title)

test('nothing is known yet, or nothing is wrong: nobody is needed', () => {
  expect(titles({})).toEqual([])
  const fine = { balanceTrx: '25', lowBalanceTrx: '25', webhooks: [], configs: [] }
  expect(titles({ ...fine, subscriptions: [] })).toEqual([])
  expect(titles({ balanceTrx: '0', lowBalanceTrx: null })).toEqual([])
})

test('a balance below its threshold, also by one millionth', () => {
  const low = { balanceTrx: '24.999999', lowBalanceTrx: '25' }
  expect(attentionOf({ nowMs: NOW, ...low })).toMatchObject([
    { title: 'Your balance is low', remedy: { to: '/deposits' } },
  ])
})

test('a webhook that the service disabled, not one that its owner turned off', () => {
  const webhooks = [
    { id: 'a', name: 'shop', disabled_reason: 'The receiver answered 410 Gone.' },
    { id: 'b', name: 'test', disabled_reason: 'by its owner' },
    { id: 'c', name: 'till', disabled_reason: null },
  ]
  expect(attentionOf({ nowMs: NOW, webhooks })).toMatchObject([
    { title: 'Webhook shop is disabled', remedy: { call: 'enable', webhook: 'a' } },
  ])
})

test('a pay page that ran out of money or was stopped by support, not one that was paused', () => {
  const configs = [
    { id: 'a', title: 'Shop', pause_reason: 'insufficient_balance' as const },
    { id: 'b', title: '', pause_reason: 'admin' as const },
    { id: 'c', title: 'Mine', pause_reason: 'user' as const },
    { id: 'd', title: 'Good', pause_reason: null },
  ]
  expect(attentionOf({ nowMs: NOW, configs })).toMatchObject([
    { title: 'Pay page Shop is paused', remedy: { call: 'resume', config: 'a' } },
    { title: 'A pay page is paused', remedy: { to: '/agent' } },
  ])
})

test('a subscription that ended this week by itself', () => {
  const closed = (close_reason: string | null, closed_at: string | null) => ({
    address,
    close_reason,
    closed_at,
  })
  const subscriptions = [
    closed('idle', '2026-11-15T00:00:00Z'),
    closed('manual', '2026-11-15T00:00:00Z'),
    closed('insufficient_balance', '2026-11-01T00:00:00Z'),
    closed(null, null),
  ]
  expect(titles({ subscriptions })).toEqual(['AutoEnergy for TQn9Y2…KcbLSE has ended'])
})
