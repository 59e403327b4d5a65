import {
  type Invoices,
  type InvoiceView,
  invoiceForms,
  listView,
  type RenderInvoice,
} from '../../account/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, readLine, saidBy, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { invoices: Invoices; operator: Operator }

/** `npx ergon invoices …`: lists a client's, prints one, and issues those of months that are over. */
export async function runInvoices(
  { invoices, operator }: Rooms,
  args: string[],
  given: { clock: Clock; invoicePage: RenderInvoice },
): Promise<number> {
  const line = readLine(args)
  const [verb, id = '', month = ''] = line.words
  if (verb === 'issue') {
    const of = line.option('account')
    const done = of
      ? await operator.issuing.of(idIn(of, '--account'), saidBy(line))
      : await operator.issuing.all(saidBy(line))
    return printResponse(done, (issued) =>
      line.say(issued, `${issued.invoices} invoices issued, of ${issued.accounts} accounts.`),
    )
  }
  if (verb !== 'list' && verb !== 'show') return notUnderstood('invoices')
  idIn(id, "The account's id")
  if (verb === 'list') {
    const list = await listView(invoices, id)
    line.say(list, list.invoices.map(itemText).join('\n'))
    return EXIT.done
  }
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) throw new Unclear('A month is written as 2026-11.')
  const forms = invoiceForms({ invoices, ...given })
  const view = await forms.view(id, month)
  if (!view) {
    console.error('This account has no invoice of this month.')
    return EXIT.refused
  }
  const file = line.option('html')
    ? await forms.page(id, month)
    : line.option('csv')
      ? await forms.csv(id, month)
      : undefined
  if (file) process.stdout.write(file.body)
  else line.say(view, textOf(view))
  return EXIT.done
}

type Item = Awaited<ReturnType<typeof listView>>['invoices'][number]

function itemText({ month, state, number, issued_at, total_trx }: Item): string {
  const name = number === null ? NAMES[state] : `${number}  issued ${issued_at}`
  return `${month}  ${total_trx} TRX  ${name}`
}

const NAMES = { issued: '', due: 'over, not issued yet', preview: 'preview' } as const

function textOf(view: InvoiceView): string {
  const { products, account, month } = view
  const row = (one: InvoiceView['account']['lines'][number]) =>
    `  ${one.words}${one.of_month === month ? '' : ` of ${one.of_month}`}, ${one.count}: ${one.amount_trx}`
  return [
    itemText(view),
    ...products.flatMap(({ product, lines, total_trx }) => [
      `${product}: ${total_trx}`,
      ...lines.map(row),
    ]),
    `Statement of account: opening balance ${account.opening_trx}`,
    ...account.lines.map(row),
    `  Charged, as above: ${account.charged_trx}`,
    `  Closing balance: ${account.closing_trx}`,
  ].join('\n')
}
