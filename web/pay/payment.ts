import { serverNow } from '../shared/clock.ts'
import { BAD, DONE, element, mark } from '../shared/element.ts'
import { fill, grouped, trx } from './amounts.ts'
import type { PayData } from './data.ts'

/** A message of the live stream. */
export type LivePayment = {
  tx_hash: string
  amount_sun: number
  units: number
  energy: number
  status: string
  message: string
  delegation_txids: string[]
  usable_until: string | null
}

type State = 'done' | 'now' | 'next' | 'bad'
type Step = { state: State; name: string; notes: (Node | string)[] }

export function shortened(id: string): string {
  // With word joiners, so that no line breaks inside it.
  return `${id.slice(0, 6)}\u2060…\u2060${id.slice(-6)}`
}

/** One payment: its amount, and its past and coming steps. */
export function paymentCard(payment: LivePayment, data: PayData): HTMLElement {
  const { messages } = data
  const head = element('div', { class: 'head' }, [
    element('span', {}, [messages.payment]),
    element('b', {}, [`${trx(BigInt(payment.amount_sun))} TRX`]),
  ])
  const steps = stepsOf(payment, data).map(({ state, name, notes }) =>
    element('li', { class: state }, [
      element('span', { class: 'dot' }, dotOf(state)),
      element('span', { class: 'name' }, [name]),
      ...notes.map((note) => element('div', { class: 'note-line' }, [note])),
    ]),
  )
  const attributes = { class: 'payment', 'data-status': payment.status }
  return element('article', attributes, [head, element('ol', { class: 'steps' }, steps)])
}

function dotOf(state: State): Node[] {
  if (state === 'done') return [mark(DONE)]
  return state === 'bad' ? [mark(BAD)] : []
}

function stepsOf(payment: LivePayment, data: PayData): Step[] {
  const { status, message } = payment
  const { messages } = data
  const isSeen = status === 'processing'
  const seen: Step = {
    state: isSeen ? 'now' : 'done',
    name: messages.seen,
    notes: [idOf(payment.tx_hash, data), ...(isSeen ? [message] : [])],
  }
  if (status === 'skipped')
    return [seen, { state: 'bad', name: messages.skipped, notes: [message] }]
  if (status === 'failed') return [seen, { state: 'bad', name: messages.failed, notes: [message] }]
  const isDone = status === 'completed'
  return [
    seen,
    {
      state: isSeen ? 'next' : isDone ? 'done' : 'now',
      name: messages.delegating,
      notes: status === 'delivering' ? [message] : [],
    },
    {
      state: isDone ? 'done' : 'next',
      name: messages.delegated,
      notes: isDone ? delegatedNotes(payment, data) : [],
    },
  ]
}

function delegatedNotes(payment: LivePayment, data: PayData): (Node | string)[] {
  const { messages, language } = data
  const energy = grouped(BigInt(payment.energy), language)
  return [
    element('b', {}, [fill(messages.energy, { energy })]),
    ...payment.delegation_txids.map((id) => idOf(id, data)),
    ...(payment.usable_until ? [untilOf(new Date(payment.usable_until), data)] : []),
  ]
}

/** The end time, and how long that is from now. */
export function untilOf(end: Date, { messages, language }: PayData): Node {
  const minutes = Math.ceil((end.getTime() - serverNow()) / 60_000)
  if (minutes <= 0) return element('span', { class: 'until' }, [messages.over])
  // The visitor's own locale, if its language is that of the page.
  const locale = navigator.languages.find((one) => one.startsWith(language)) ?? language
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const time = element('time', { datetime: end.toISOString(), title: end.toISOString() }, [
    fill(messages.usable, { time: clock.format(end) }),
  ])
  const left = element('span', { class: 'left' }, [
    fill(messages.left, { minutes: String(minutes) }),
  ])
  return element('span', { class: 'until' }, [time, left])
}

function idOf(id: string, { messages }: PayData): Node {
  const attributes = { type: 'button', class: 'id', title: id, 'data-copy': id }
  return element('button', attributes, [
    element('span', { class: 'unseen' }, [`${messages.copyId} `]),
    element('span', {}, [shortened(id)]),
  ])
}
