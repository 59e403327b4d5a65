import type { DeliveryRecord, Ergon, NewReplay, Webhook } from '../../sdk/index.ts'
import { didYouMean } from '../nearest.ts'
import { limitOf, limitOption, readArguments, words } from './arguments.ts'
import { connect } from './connection.ts'
import { count, printJson, printTable, when } from './output.ts'
import { Unusable } from './unusable.ts'

const OPTIONS = {
  ...limitOption,
  name: { type: 'string' },
  events: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']
type Act = (api: Ergon['webhooks'], rest: string[], values: Values) => Promise<number>

export async function webhooks(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [action = 'list', ...rest] = positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    const hint = didYouMean(action, WEBHOOK_VERBS)
    throw new Unusable(`"${action}" is not something that webhooks do.${hint}`)
  }
  return act(connect(values).ergon.webhooks, rest, values)
}

const ACTIONS: Record<string, Act> = {
  async list(api, rest, { json }) {
    words(rest)
    return show(await api.list(), json)
  },
  async add(api, rest, { json, name = 'ergon', events }) {
    const [url] = words(rest, 'URL')
    const made = await api.create({ name, url: url! })
    const switches = switchesOf(made.events, events)
    if (events !== undefined) await api.update(made.id, { events: switches })
    if (json) printJson({ ...made, events: switches })
    else {
      show([{ ...made, events: switches }], json)
      console.log(`Signing secret, shown this once: ${made.signing_secret}`)
    }
    return 0
  },
  async enable(api, rest, { json }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    return show([await api.update(id!, { status: 'active' })], json)
  },
  async disable(api, rest, { json }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    return show([await api.update(id!, { status: 'disabled' })], json)
  },
  async test(api, rest, { json }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    const outcome = await api.test(id!)
    if (json) printJson(outcome)
    else console.log(`Your server took delivery ${outcome.delivery_id}.`)
    return 0
  },
  async rotate(api, rest, { json }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    const { signing_secret } = await api.rotateSecret(id!)
    if (json) printJson({ id, signing_secret })
    else console.log(`New signing secret: ${signing_secret}\nBoth sign for 24 hours.`)
    return 0
  },
  async deliveries(api, rest, { json, limit }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    return showDeliveries(await api.deliveries(id!).take(limitOf(limit)), json)
  },
  async resend(api, rest, { json }) {
    const [id, delivery] = words(rest, 'WEBHOOK_ID', 'DELIVERY_ID')
    return showDeliveries([await api.resend(id!, delivery!)], json)
  },
  async replay(api, rest, { json, from, to, events }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    if (from === undefined)
      throw new Unusable('A replay needs --from, such as 2026-11-14T12:00:00Z.')
    const types = events?.split(',').map((type) => type.trim()) as NewReplay['types']
    const started = await api.replay(id!, { from, ...(to && { to }), ...(types && { types }) })
    if (json) printJson(started)
    else console.log(`${count(started.events)} events are sent again, at most 10 a second.`)
    return 0
  },
  async delete(api, rest, { json }) {
    const [id] = words(rest, 'WEBHOOK_ID')
    await api.delete(id!)
    if (json) printJson({ id })
    else console.log(`${id} is removed.`)
    return 0
  },
}

export const WEBHOOK_VERBS = Object.keys(ACTIONS)

/** The event switches to set: only the types of `--events a,b` are on. Without that option nothing changes. */
export function switchesOf(usual: Record<string, boolean>, list: string | undefined) {
  if (list === undefined) return usual
  const wanted = list.split(',').map((type) => type.trim())
  const off = Object.keys(usual).map((type) => [type, false] as const)
  return Object.fromEntries([...off, ...wanted.map((type) => [type, true] as const)])
}

function show(hooks: Webhook[], json: boolean | undefined): number {
  if (json) printJson(hooks)
  else {
    const rows = hooks.map((one) => [
      one.id,
      one.status + (one.disabled_reason ? ` (${one.disabled_reason})` : ''),
      one.name,
      one.url,
      when(one.last_success_at),
      Object.keys(one.events)
        .filter((type) => one.events[type])
        .join(', '),
    ])
    const headers = ['Webhook', 'Status', 'Name', 'URL', 'Last success', 'Events']
    printTable(headers, rows, 'No webhooks yet.')
  }
  return 0
}

function showDeliveries(deliveries: DeliveryRecord[], json: boolean | undefined): number {
  if (json) printJson(deliveries)
  else {
    const rows = deliveries.map((one) => [
      when(one.created_at),
      one.event_type,
      one.status,
      one.response_status ?? one.error ?? '-',
      one.id,
    ])
    printTable(['When', 'Event', 'Status', 'Answer', 'Delivery'], rows, 'No deliveries yet.')
  }
  return 0
}
