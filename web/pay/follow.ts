import { whenClockMoves } from '../shared/clock.ts'
import { BAD, DONE, element, mark } from '../shared/element.ts'
import { fill } from './amounts.ts'
import type { PayData } from './data.ts'
import { showPaid } from './paid.ts'
import { type LivePayment, paymentCard, shortened, untilOf } from './payment.ts'

const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/
const AGAIN_MS = 5_000
const CLOCK_MS = 20_000

/** What was typed stays through a reload: the page reloads itself when the offer changes. */
const TYPED = 'ergon-pay-wallet'

/** Checks the wallet, then shows the state of its payments. The address is kept after the #. */
export function followPayments(data: PayData) {
  const form = document.getElementById('payer') as HTMLFormElement
  const input = document.getElementById('wallet') as HTMLInputElement
  const checked = document.getElementById('checked')!
  const live = createLive(data)

  async function start() {
    const address = input.value.trim()
    const { can, message } = await check(data, address)
    checked.replaceChildren(mark(can ? DONE : BAD), element('span', {}, [message]))
    checked.className = can ? 'good' : 'bad'
    input.setAttribute('aria-invalid', String(!can))
    if (!ADDRESS.test(address)) return live.stop()
    history.replaceState(null, '', `#${address}`)
    // A wallet that cannot receive may have paid already: show its payments too.
    live.start(address, can)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void start()
  })
  input.addEventListener('input', () => sessionStorage.setItem(TYPED, input.value))
  const kept = decodeURIComponent(location.hash.slice(1))
  const isFollowed = ADDRESS.test(kept)
  input.value = isFollowed ? kept : (sessionStorage.getItem(TYPED) ?? '')
  if (isFollowed) void start()
}

async function check({ publicId, language, messages }: PayData, address: string) {
  const query = new URLSearchParams({ address, lang: language })
  try {
    const answer = await fetch(`/v1/pay/${publicId}/check?${query}`)
    if (!answer.ok) return { can: false, message: messages.noCheck }
    const { can_receive, message } = await answer.json()
    return { can: can_receive as boolean, message: message as string }
  } catch {
    return { can: false, message: messages.noCheck }
  }
}

function createLive(data: PayData) {
  const { messages, publicId, language } = data
  const place = document.getElementById('live')!
  const announced = document.getElementById('announced')!
  const payments = new Map<string, LivePayment>()
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let lost = false
  let waitingFor: string | undefined

  function draw() {
    const cards = [...payments.values()].reverse().map((payment) => paymentCard(payment, data))
    const waiting =
      waitingFor && cards.length === 0
        ? [
            element('div', { class: 'waiting' }, [
              element('p', {}, [fill(messages.waiting, { payer: shortened(waitingFor) })]),
              element('p', { class: 'soft' }, [messages.waitingHint]),
            ]),
          ]
        : []
    const trouble = lost ? [element('p', { class: 'lost' }, [messages.lost])] : []
    place.replaceChildren(...waiting, ...cards, ...trouble)
    showPaid([...payments.values()].at(-1), data)
  }

  function stop() {
    source?.close()
    clearTimeout(again)
    payments.clear()
    waitingFor = undefined
    lost = false
    draw()
  }

  function connect(payer: string) {
    const query = new URLSearchParams({ payer, lang: language })
    source = new EventSource(`/v1/pay/${publicId}/live?${query}`)
    source.onopen = () => {
      lost = false
      draw()
    }
    source.onmessage = ({ data: text }) => {
      const payment = JSON.parse(text) as LivePayment
      if (payments.get(payment.tx_hash)?.status !== payment.status) {
        announced.textContent = payment.message
      }
      payments.set(payment.tx_hash, payment)
      draw()
    }
    source.onerror = () => {
      lost = true
      draw()
      // The browser does not retry a refused connection by itself.
      if (source?.readyState !== EventSource.CLOSED) return
      again = setTimeout(() => connect(payer), AGAIN_MS)
    }
  }

  function updateMinutes() {
    for (const time of place.querySelectorAll<HTMLElement>('.until time')) {
      time.parentElement!.replaceWith(untilOf(new Date(time.getAttribute('datetime')!), data))
    }
  }
  setInterval(updateMinutes, CLOCK_MS)
  whenClockMoves(updateMinutes)
  return {
    stop,
    start(payer: string, canReceive: boolean) {
      stop()
      if (canReceive && data.available) waitingFor = payer
      draw()
      connect(payer)
    },
  }
}
