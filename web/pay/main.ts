import { readServerTime, serverNow } from '../shared/clock.ts'
import { grouped, trx } from './amounts.ts'
import { copyOnClick } from './copy.ts'
import { MOMENT, type PayData } from './data.ts'
import { followPayments } from './follow.ts'

const data = JSON.parse(document.getElementById('pay-data')!.textContent!) as PayData
const OFFER_MS = 20_000

// The page was rendered after it was asked for and before this script runs.
readServerTime(data.now, performance.timeOrigin, Date.now())
copyOnClick(data.messages.copied)
showLocalTimes()
countUnits()
followPayments(data)
setInterval(checkOffer, OFFER_MS)

/** Times of notices in the reader's zone; without a script they are of UTC. */
function showLocalTimes() {
  const format = new Intl.DateTimeFormat(data.language, {
    ...MOMENT,
    timeZoneName: 'short',
  })
  for (const time of document.querySelectorAll<HTMLTimeElement>('.notices time')) {
    time.textContent = format.format(new Date(time.dateTime))
  }
}

function countUnits() {
  const [fewer, more] = ['fewer', 'more'].map(
    (id) => document.getElementById(id) as HTMLButtonElement | null,
  )
  if (!fewer || !more) return
  const show = (places: string, text: string) => {
    for (const place of document.querySelectorAll(places)) place.textContent = text
  }
  let units = 1
  const step = (by: number) => {
    units = Math.min(Math.max(units + by, 1), data.maxUnits)
    const amount = trx(BigInt(data.basePaymentSun) * BigInt(units))
    show('#units', String(units))
    show('.amount', amount)
    show('.energy', grouped(BigInt(data.energyPerUnit) * BigInt(units), data.language))
    document.getElementById('copy-amount')!.dataset.copy = amount
    fewer.disabled = units === 1
    more.disabled = units === data.maxUnits
  }
  fewer.addEventListener('click', () => step(-1))
  more.addEventListener('click', () => step(1))
}

/** Reloads the offer, so that nobody pays an old price or to a closed page. */
async function checkOffer() {
  if (document.hidden) return
  if (data.changesAt !== null && serverNow() >= Date.parse(data.changesAt)) location.reload()
  const sentMs = Date.now()
  const answer = await fetch(`/v1/pay/${data.publicId}`).catch(() => undefined)
  readServerTime(answer?.headers.get('x-server-time') ?? null, sentMs, Date.now())
  if (answer?.status === 404) return location.reload()
  if (!answer?.ok) return
  const now = await answer.json()
  const isSame =
    now.available === data.available &&
    String(now.base_payment_sun) === data.basePaymentSun &&
    String(now.energy_per_unit) === data.energyPerUnit &&
    now.max_units === data.maxUnits
  if (!isSame) location.reload()
}
