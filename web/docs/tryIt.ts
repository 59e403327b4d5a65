import type { Call } from './snippets.ts'

// "Try it": sends the request of an example to this service. Calls with a key are sent in a sandbox only, with an
// account made there: on a page of production a wrong click would cost money.

const ACCOUNT = { name: 'docs', deposit_trx: '1000' }
const DEPOSITED_SECONDS_MAX = 30
const ONLY_IN_SANDBOX =
  'Requests are sent from this page in a sandbox only: npm start makes one on your machine.'
/** Ids that earlier answers have named, for the fields of later calls. */
const known = new Map<string, string>()
const activated = new Set<string>()
let key: Promise<string> | undefined

export function prepareTrying() {
  for (const place of document.querySelectorAll<HTMLElement>('.try')) {
    const call: Call = JSON.parse(place.dataset.call!)
    const button = element('button', { type: 'button', textContent: 'Try it' })
    button.addEventListener('click', () => {
      const form = formOf(call)
      button.replaceWith(form)
      form.querySelector<HTMLElement>('input, textarea, button')!.focus()
    })
    place.append(button)
  }
}

function formOf(call: Call): HTMLFormElement {
  const form = element('form', {})
  const fields = { params: call.params, query: call.query, headers: call.headers }
  for (const [part, values] of Object.entries(fields)) {
    for (const [name, example] of Object.entries(values ?? {})) {
      form.append(field(name, `${part}.${name}`, firstValue(call, name, String(example))))
    }
  }
  if (call.body) form.append(bodyField(call.body))
  form.append(element('button', { textContent: `Send ${call.method} ${call.path}` }))
  const answer = element('div', { className: 'answer' })
  answer.setAttribute('role', 'status')
  form.append(answer)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    answer.textContent = 'Sending …'
    const said = await send(call, new FormData(form), (words) => {
      answer.textContent = words
    }).catch((error: Error) => error.message)
    answer.replaceChildren(element('pre', { tabIndex: 0, textContent: said }))
  })
  return form
}

function field(label: string, name: string, value: string): HTMLElement {
  const row = element('label', { textContent: label })
  row.append(element('input', { name, value, spellcheck: false, autocomplete: 'off' }))
  return row
}

function bodyField(body: object): HTMLElement {
  const row = element('label', { textContent: 'Body' })
  const value = JSON.stringify(body, null, 2)
  const rows = value.split('\n').length
  row.append(element('textarea', { name: 'body', value, rows, spellcheck: false }))
  return row
}

/** A request is carried out once for each key, so each form begins with a key of its own. */
function firstValue({ path }: Call, name: string, example: string): string {
  if (name === 'Idempotency-Key') return crypto.randomUUID()
  return known.get(name === 'id' ? `${thingOf(path)}.id` : name) ?? example
}

/** What the ids of a path are ids of; a purchase makes an order. */
const thingOf = (path: string) => path.split('/')[2]!.replace('buy', 'order')

async function send(call: Call, form: FormData, progress: (words: string) => void) {
  const text = (name: string) => String(form.get(name) ?? '')
  const part = (name: 'params' | 'query' | 'headers') =>
    Object.keys(call[name] ?? {}).map((field) => [field, text(`${name}.${field}`)] as const)
  const body = text('body')
  await activate([...form.values()].join(' '))
  const headers = new Headers(
    part('headers').filter(([, value]) => value !== '') as [string, string][],
  )
  if (body) headers.set('content-type', 'application/json')
  const params = new Map(part('params'))
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_all, name) =>
    encodeURIComponent(params.get(name)!),
  )
  const search = new URLSearchParams(
    part('query').filter(([, value]) => value !== '') as [string, string][],
  )
  const url = search.size > 0 ? `${path}?${search}` : path
  const once = async () => {
    if (call.isKeyed) headers.set('x-api-key', await sandboxKey(progress))
    return fetch(url, { method: call.method, headers, ...(body && { body }) })
  }
  let response = await once()
  if (response.status === 401 && call.isKeyed) {
    // The sandbox was begun anew since.
    sessionStorage.removeItem('docs-key')
    key = undefined
    response = await once()
  }
  const answered = await response.text()
  if (response.ok) remember(call, answered)
  return `${response.status} ${response.statusText}\n${pretty(answered)}`.trim()
}

/** The key of an account with money on it, made at the first request. */
function sandboxKey(progress: (words: string) => void): Promise<string> {
  const kept = sessionStorage.getItem('docs-key')
  if (kept) return Promise.resolve(kept)
  key ??= makeAccount(progress).catch((error) => {
    key = undefined
    throw error
  })
  return key
}

async function makeAccount(progress: (words: string) => void): Promise<string> {
  progress('Making an account with 1,000 TRX …')
  const made = await sandbox('/sandbox/accounts', ACCOUNT)
  for (let second = 0; second < DEPOSITED_SECONDS_MAX; second++) {
    const account = await fetch('/v1/account', { headers: { 'x-api-key': made.api_key! } })
    if ((await account.json()).balance_trx !== '0') break
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  sessionStorage.setItem('docs-key', made.api_key!)
  return made.api_key!
}

/** Addresses of an example are those of another sandbox: a little TRX makes them exist in this one. */
async function activate(text: string): Promise<void> {
  for (const [to] of text.matchAll(/\bT[1-9A-HJ-NP-Za-km-z]{33}\b/g)) {
    if (activated.has(to)) continue
    await sandbox('/sandbox/faucet', { to, amount_sun: 1_000_000 })
    activated.add(to)
  }
}

async function sandbox(path: string, body: object): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status === 404) throw new Error(ONLY_IN_SANDBOX)
  return response.json()
}

function remember({ path }: Call, answered: string) {
  if (!answered.startsWith('{')) return
  for (const [name, value] of Object.entries(JSON.parse(answered))) {
    if (name === 'id' || name === 'order_id') known.set(`${thingOf(path)}.id`, String(value))
    if (name.endsWith('_id')) known.set(name, String(value))
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties)
}
