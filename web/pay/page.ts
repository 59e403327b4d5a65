import type { PayLanguage } from '@ergon/contract'
import { escaped, icons } from '../shared/html.ts'
import { fill, grouped, trx } from './amounts.ts'
import type { PayData } from './data.ts'
import { LANGUAGES, messagesOf } from './language.ts'
import type { Messages } from './messages/en.ts'
import { nextChange, noticesPart, type PayNotice } from './notices.ts'

export type PayOffer = {
  publicId: string
  title: string
  address: string
  energyPerUnit: bigint
  basePayment: bigint
  maxUnits: bigint
  available: boolean
}

/** The URLs of the files; without a script the page still shows where and how much to pay. */
export type PayFiles = { style: string; script: string | undefined; icon: string | undefined }

export type Qr = { size: number; path: string }

type PageParts = {
  offer: PayOffer
  notices: readonly PayNotice[]
  language: PayLanguage
  files: PayFiles
  qr: Qr
  now: Date
}

/** The pay page of an offer. The title is untrusted text and is escaped. */
export function payPage({ offer, notices, language, files, qr, now }: PageParts): string {
  const messages = messagesOf(language)
  const price = trx(offer.basePayment)
  const energy = grouped(offer.energyPerUnit, language)
  const title = offer.title || messages.page.fallbackTitle
  const heading = fill(escaped(messages.page.offer), {
    energy: `<b class="energy">${energy}</b>`,
    price: `<b class="amount">${price}</b>`,
  })
  const follow = files.script ? followCard(offer, messages) : ''
  // The title comes last: a direction mark in it cannot affect our own text.
  const name = `${fill(messages.page.offer, { energy, price })} · ${title}`
  return documentOf({
    language,
    name,
    files,
    data: files.script ? dataOf({ offer, notices, language, now }) : undefined,
    main: `${noticesPart(notices, { language, messages, now })}<div class="columns">
<section class="card pay${offer.available ? '' : ' closed'}" aria-labelledby="offer">
<p class="title"><bdi>${escaped(title)}</bdi></p>
<h1 id="offer">${heading}</h1>
${offer.available ? payPart(offer, { language, qr, messages }) : pausedPart(messages)}
</section>
${follow}
${offer.available ? amountsCard(offer, language) : ''}
</div>`,
  })
}

/** The page for an offer that does not exist, or no longer does. */
export function missingPayPage(language: PayLanguage, files: PayFiles): string {
  const { page } = messagesOf(language)
  return documentOf({
    language,
    name: page.missing,
    files,
    data: undefined,
    main: `<section class="card alone">
${icons.missing}
<h1>${escaped(page.missing)}</h1>
<p>${escaped(page.missingText)}</p>
</section>`,
  })
}

function payPart(
  { address, basePayment, energyPerUnit, maxUnits }: PayOffer,
  { language, qr, messages: { page } }: { language: PayLanguage; qr: Qr; messages: Messages },
): string {
  const price = trx(basePayment)
  const energy = grouped(energyPerUnit, language)
  // Split in the middle, where it may break if it does not fit into one line.
  const half = address.length / 2
  const lines = `<b>${address.slice(0, 5)}</b>${address.slice(5, half)}<wbr>${address.slice(half, -5)}<b>${address.slice(-5)}</b>`
  const lead = fill(escaped(page.lead), { price: `<span class="amount">${price}</span>` })
  return `<div id="to-pay">
<p class="lead">${lead}</p>
<div class="where">
<svg class="qr" viewBox="0 0 ${qr.size} ${qr.size}" role="img" aria-label="${escaped(page.qr)}" shape-rendering="crispEdges"><path d="${qr.path}"/></svg>
<div class="to">
<h2 id="to">${escaped(page.payTo)}</h2>
<p class="address" id="address" translate="no">${lines}</p>
<button type="button" class="main script" data-copy="${address}">${icons.copy}<span>${escaped(page.copyAddress)}</span></button>
</div>
</div>
<div class="deal script">
${maxUnits > 1n ? unitsPart(page) : ''}
<dl>
<div><dt>${escaped(page.send)}</dt><dd><span class="amount">${price}</span> <small>TRX</small></dd>
<dd class="tool"><button type="button" class="small" id="copy-amount" title="${escaped(page.copyAmount)}" data-copy="${price}">${icons.copy}<span class="wide">${escaped(page.copyAmount)}</span></button></dd></div>
<div class="get"><dt>${escaped(page.get)}</dt><dd><span class="energy">${energy}</span> <small>${escaped(page.energy)}</small></dd></div>
</dl>
</div>
<p class="note">${icons.wallet}<span>${escaped(page.exchange)}</span></p>
<noscript><p class="note">${icons.info}<span>${escaped(page.noScript)}</span></p></noscript>
</div>
<div id="paid" role="status"></div>`
}

function unitsPart(page: Messages['page']): string {
  return `<div class="units" role="group" aria-labelledby="units-name">
<span id="units-name">${escaped(page.units)}</span>
<button type="button" id="fewer" aria-label="${escaped(page.fewer)}" disabled>${icons.minus}</button>
<output id="units">1</output>
<button type="button" id="more" aria-label="${escaped(page.more)}">${icons.plus}</button>
</div>`
}

function pausedPart({ page }: Messages): string {
  return `<div class="paused" role="status">
<h2>${icons.paused}<span>${escaped(page.paused)}</span></h2>
<p>${escaped(page.pausedText)}</p>
</div>`
}

function followCard({ available }: PayOffer, { page }: Messages): string {
  const hint = available ? page.followHint : page.followPaused
  return `<section class="card follow script" aria-labelledby="follow">
<h2 id="follow">${escaped(page.follow)}</h2>
<form id="payer">
<label for="wallet">${escaped(page.wallet)}</label>
<div class="field">
<input id="wallet" name="wallet" placeholder="T…" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="checked">
<button type="submit">${escaped(page.check)}</button>
</div>
</form>
<p class="soft hint">${escaped(hint)}</p>
<p id="checked" role="status"></p>
<div id="live"></div>
<p id="announced" class="unseen" role="status"></p>
</section>`
}

function amountsCard(offer: PayOffer, language: PayLanguage): string {
  const { page } = messagesOf(language)
  const { basePayment, energyPerUnit, maxUnits } = offer
  const price = trx(basePayment)
  const between = {
    amount: trx(basePayment + basePayment / 2n),
    energy: grouped(energyPerUnit, language),
  }
  const most = {
    amount: trx(basePayment * maxUnits),
    energy: grouped(energyPerUnit * maxUnits, language),
  }
  const rows = [
    [fill(page.below, { price }), page.belowThen],
    ...(maxUnits > 1n ? [[fill(page.between, between), fill(page.betweenThen, between)]] : []),
    [fill(page.above, most), fill(page.aboveThen, most)],
  ]
  const terms = rows.map(
    ([when, then]) => `<div><dt>${escaped(when!)}</dt><dd>${escaped(then!)}</dd></div>`,
  )
  return `<section class="card amounts" aria-labelledby="amounts">
<h2 id="amounts">${escaped(page.amounts)}</h2>
<p class="soft">${escaped(fill(page.oneUnit, { energy: between.energy, price }))}</p>
<dl>${terms.join('')}</dl>
<p class="soft">${escaped(page.use)}</p>
</section>`
}

function dataOf(parts: Omit<PageParts, 'files' | 'qr'>): PayData {
  const { offer, notices, language, now } = parts
  const { live, page } = messagesOf(language)
  return {
    publicId: offer.publicId,
    language,
    basePaymentSun: String(offer.basePayment),
    energyPerUnit: String(offer.energyPerUnit),
    maxUnits: Number(offer.maxUnits),
    available: offer.available,
    now: now.toISOString(),
    changesAt: nextChange(notices, now),
    messages: { ...live, copied: page.copied },
  }
}

function documentOf(parts: {
  language: PayLanguage
  name: string
  files: PayFiles
  data: PayData | undefined
  main: string
}): string {
  const { language, name, files, data, main } = parts
  const { page } = messagesOf(language)
  const links = (Object.keys(LANGUAGES) as PayLanguage[]).map((other) => {
    const current = other === language ? ' aria-current="true"' : ''
    return `<a href="?lang=${other}" lang="${other}" hreflang="${other}"${current}>${LANGUAGES[other]}</a>`
  })
  const script = data
    ? `<script type="application/json" id="pay-data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script type="module" src="${files.script}"></script>\n`
    : ''
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escaped(name)}</title>
<link rel="icon" href="${files.icon ?? 'data:,'}">
<link rel="stylesheet" href="${files.style}">
</head>
<body${files.script ? '' : ' class="plain"'}>
<header>
<span class="brand">${icons.bolt}Ergon</span>
<nav aria-label="${escaped(page.language)}">${links.join('')}</nav>
</header>
<main>
${main}
</main>
<footer>${escaped(page.footer)} <a href="/#my-transfer-failed">${escaped(page.transferFailed)}</a></footer>
${script}</body>
</html>
`
}
