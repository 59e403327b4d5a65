import { element } from '../shared/element.ts'
import { grouped, readableTrx, sunOf, trxOf } from '../shared/money.ts'

// What a transfer of USDT costs a wallet, by the public endpoint that everybody can call.

const form = document.getElementById('transfer') as HTMLFormElement
const answer = document.getElementById('answer')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  const from = String(fields.get('from')).trim()
  const to = String(fields.get('to')).trim()
  answer.replaceChildren(element('p', { class: 'soft' }, ['Asking the chain …']))
  answer.replaceChildren(...(await work(from, to)))
})

type Fault = { loc: string[] }
const WALLETS: Record<string, string> = { from: 'wallet that sends', to: 'recipient' }

/** In words for people: the API names its own fields. */
function troubleWords(detail: { message?: string } | Fault[] | undefined): string {
  if (!Array.isArray(detail)) return detail?.message ?? 'The address could not be checked.'
  const wallets = detail.map(({ loc }) => WALLETS[loc.at(-1)!] ?? 'address')
  return wallets
    .map((wallet) => `The ${wallet} is not a TRON address. It has 34 characters and begins with T.`)
    .join(' ')
}

/** Without a recipient the wallet sends to itself, which needs as much as any wallet that has USDT. */
async function work(from: string, to: string): Promise<HTMLElement[]> {
  const query = new URLSearchParams({ from, to: to || from })
  try {
    const response = await fetch(`/v1/public/energy?${query}`)
    const body = await response.json()
    if (response.ok) return costs(body, from)
    const detail = to === '' ? onlyFrom(body.detail) : body.detail
    return [element('p', { class: 'bad' }, [troubleWords(detail)])]
  } catch {
    return [element('p', { class: 'bad' }, ['The service could not be reached. Try again.'])]
  }
}

/** An empty recipient repeats the sender, and so does its fault. */
const onlyFrom = (detail: unknown) =>
  Array.isArray(detail) ? detail.filter(({ loc }: Fault) => loc.at(-1) === 'from') : detail

const NO_TXID = 'A transaction id has 64 characters: 0 to 9 and a to f.'
const failed = document.getElementById('failed') as HTMLFormElement
const verdict = document.getElementById('verdict')!

failed.addEventListener('submit', async (event) => {
  event.preventDefault()
  const [txid] = /[0-9a-f]{64}/.exec(String(new FormData(failed).get('txid')).toLowerCase()) ?? []
  verdict.replaceChildren(element('p', { class: 'soft' }, ['Asking the chain …']))
  verdict.replaceChildren(txid ? await reasonOf(txid) : element('p', { class: 'bad' }, [NO_TXID]))
})

async function reasonOf(txid: string): Promise<HTMLElement> {
  try {
    const response = await fetch(`/v1/public/transfers/${encodeURIComponent(txid)}`)
    const body = await response.json()
    const message = body.message ?? body.detail?.message ?? 'The transaction could not be read.'
    return element('p', { class: response.ok ? '' : 'bad' }, [message])
  } catch {
    return element('p', { class: 'bad' }, ['The service could not be reached. Try again.'])
  }
}

type Costs = { energy: number; price_trx: string; burn_cost_trx: string }

function costs({ energy, price_trx, burn_cost_trx }: Costs, receiver: string): HTMLElement[] {
  const [price, burned] = [sunOf(price_trx)!, sunOf(burn_cost_trx)!]
  const line = (name: string, trx: string, kind: string) =>
    element('div', { class: kind }, [
      element('dt', {}, [name]),
      element('dd', {}, [`${readableTrx(trx)} `, element('small', {}, ['TRX'])]),
    ])
  const saved = burned - price
  const percent = burned > 0n ? Number((saved * 100n) / burned) : 0
  const lines = [
    line('Burned without Energy', burn_cost_trx, ''),
    line('With Energy from Ergon', price_trx, ''),
    ...(saved > 0n ? [line(`You save ${percent} %`, trxOf(saved), 'good')] : []),
  ]
  const words = `The transfer needs ${grouped(energy)} Energy.`
  const href = `/buy?${new URLSearchParams({ energy: String(energy), receiver })}`
  return [
    element('dl', { class: 'prices' }, lines),
    element('p', { class: 'soft' }, [words]),
    element('a', { class: 'button main', href }, [`Buy ${grouped(energy)} Energy for this wallet`]),
  ]
}
