import { element } from '../shared/element.ts'
import { trx } from './amounts.ts'
import type { PayData } from './data.ts'
import type { LivePayment } from './payment.ts'

/** The payment after which the visitor chose to make another one. */
let payingAfter: string | undefined

/** The last payment takes the place of address, code and amount, so that nobody pays twice. */
export function showPaid(last: LivePayment | undefined, data: PayData) {
  const toPay = document.getElementById('to-pay')
  const paid = document.getElementById('paid')
  // A page that sells nothing now shows neither.
  if (!toPay || !paid) return
  const isPaid = last !== undefined && last.tx_hash !== payingAfter
  toPay.hidden = isPaid
  paid.replaceChildren(...(isPaid ? partsOf(last, data, () => payAgain(last, data)) : []))
}

function payAgain(last: LivePayment, data: PayData) {
  payingAfter = last.tx_hash
  showPaid(last, data)
}

function partsOf({ amount_sun, message }: LivePayment, { messages }: PayData, again: () => void) {
  const button = element('button', { type: 'button' }, [messages.another])
  button.addEventListener('click', again)
  return [
    element('h2', {}, [`${messages.seen}: ${trx(BigInt(amount_sun))} TRX`]),
    element('p', {}, [message]),
    element('p', { class: 'soft' }, [messages.notTwice]),
    button,
  ]
}
