import { DELIVERY } from '../shared/delivery.ts'
import { icons } from '../shared/html.ts'
import { grouped, readableTrx, trxOf } from '../shared/money.ts'
import { hourWords } from '../shared/times.ts'
import { hoursChart } from './chart.ts'
import { documentOf, type PlainFiles } from './document.ts'
import { type TextOfOperator, textLinks } from './text.ts'

export type FrontPrices = {
  /** SUN per Energy, for each hour of the day in UTC. */
  schedule: readonly bigint[]
  /** The hour of the day now. */
  hour: number
  /** SUN that the network burns per Energy; undefined: not known now. */
  burnPrice: bigint | undefined
}

/** Energy of a USDT transfer to a wallet that has USDT, and to one that has none. */
const TRANSFERS = [
  [65_000n, 'A USDT transfer to a wallet that has USDT'],
  [131_000n, 'A USDT transfer to a wallet without USDT'],
] as const

const DESCRIPTION =
  'TRON Energy by the hour: what it costs now and at other hours, and what a USDT transfer costs your wallet with and without it. By API or in the browser.'

/** The public front: what this is, what it costs now and at other hours, and what one's own wallet would save. */
export function frontPage(
  { schedule, hour, burnPrice }: FrontPrices,
  { files, documents }: { files: PlainFiles; documents: readonly TextOfOperator['document'][] },
): string {
  const now = schedule[hour]!
  const least = schedule.reduce((one, other) => (other < one ? other : one))
  const cheapest = schedule.indexOf(least)
  const price = (energy: bigint, unit: bigint) => readableTrx(trxOf(energy * unit))
  const [usual] = TRANSFERS[0]
  const burned = (energy: bigint) =>
    burnPrice === undefined
      ? ''
      : `<small>Burning TRX instead: ${price(energy, burnPrice)}&nbsp;TRX</small>`
  const prices = TRANSFERS.map(
    ([energy, what]) =>
      `<div><dt>${what}<small>${grouped(energy)} Energy</small>${burned(energy)}</dt><dd>${price(energy, now)} <small>TRX</small></dd></div>`,
  )
  const hint =
    least < now
      ? `Cheapest at ${hourWords(cheapest)} UTC: ${price(usual, least)} TRX for ${grouped(usual)} Energy.`
      : 'No hour of the day is cheaper than this one.'
  return documentOf({
    title: 'Ergon: TRON Energy by the hour',
    description: DESCRIPTION,
    files,
    main: `<section class="hero">
<h1>TRON Energy by the hour</h1>
<p class="lead">A USDT transfer consumes Energy. A wallet that has none burns TRX instead. Ergon delegates Energy to your wallet for one hour. ${DELIVERY}</p>
<p class="deeds"><a class="button main" href="/sign-up">Create an account</a><a class="button" href="/docs/guide/start">Buy by API</a></p>
</section>
<div class="columns">
<section class="card" aria-labelledby="now">
<h2 id="now">Price now</h2>
<dl class="prices">${prices.join('')}</dl>
<p class="soft">${now} SUN per Energy, ${hourWords(hour)} to ${hourWords((hour + 1) % 24)} UTC. ${hint}</p>
</section>
${files.script ? CALCULATOR + DOCTOR : ''}
<section class="card wide" aria-labelledby="hours">
<h2 id="hours">Price by hour</h2>
${hoursChart(schedule, hour)}
</section>
</div>
<section class="ways" aria-label="Ways to use it">
${WAYS}
</section>`,
    footer: [
      'No tracking, no cookies on this page. <a href="/docs">Documentation</a>',
      '<a href="/status">Status</a>',
      '<a href="/openapi.json">OpenAPI</a>',
      ...textLinks(documents),
    ].join(' · '),
  })
}

const CALCULATOR = `<section class="card script" aria-labelledby="calculator">
<h2 id="calculator">What would your wallet pay?</h2>
<form id="transfer">
<label for="from">Wallet that sends USDT</label>
<input id="from" name="from" placeholder="T…" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="answer">
<label for="to">Recipient, if you know it</label>
<input id="to" name="to" placeholder="T…" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="assumed answer">
<p class="soft" id="assumed">Left empty: a wallet that has USDT already.</p>
<button type="submit">Work it out</button>
</form>
<div id="answer" role="status"><p class="soft">The transfer is simulated on the chain; nothing is sent.</p></div>
</section>`

const DOCTOR = `<section class="card script wide" id="my-transfer-failed" aria-labelledby="doctor">
<h2 id="doctor">My transfer failed</h2>
<form id="failed">
<label for="txid">Transaction id</label>
<input id="txid" name="txid" placeholder="64 characters" maxlength="300" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="verdict">
<button type="submit">Find out why</button>
</form>
<div id="verdict" role="status"><p class="soft">Or it burned more TRX than you expected: the receipt on the chain says why.</p></div>
</section>`

const way = (title: string, words: string, link: string, name: string) =>
  `<article class="card"><h2>${title}</h2><p>${words}</p><p><a href="${link}">${name}</a></p></article>`

const WAYS = [
  way(
    `${icons.bolt}Three calls`,
    'Estimate, buy, follow, with a key: idempotent, and with signed webhooks.',
    '/docs/guide/start',
    'First purchase',
  ),
  way(
    `${icons.wallet}AutoEnergy`,
    'An address that always has Energy. You pay for each transfer that used it.',
    '/docs/guide/autoenergy',
    'How it is billed',
  ),
  way(
    `${icons.plus}Pay pages`,
    'Sell Energy for TRX at your own price, on a page of your own or on ours.',
    '/docs/guide/agent',
    'Sell Energy',
  ),
].join('\n')
