import { setTimeout as pause } from 'node:timers/promises'
import { readArguments, words } from './arguments.ts'
import { connect } from './connection.ts'
import { Unusable } from './unusable.ts'

const EVERY_MS = 300
/** As long as the service waits for an answer. */
const ANSWER_MS_MAX = 5_000
const OPTIONS = { events: { type: 'string' } } as const

type Delivery = { headers: Record<string, string>; raw_body: string }

/**
 * Creates a webhook that ends in the sandbox, and forwards what arrives there until it is stopped.
 */
export async function listen(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [target] = words(positionals, 'URL')
  if (!/^https?:$/.test(URL.parse(target!)?.protocol ?? '')) {
    throw new Unusable(`"${target}" is not an address such as http://localhost:3000/hook.`)
  }
  const { ergon, baseUrl } = connect(values)
  // First, so that a signal from now on does not end the process before the cleanup.
  const stopped = untilSignal()
  const sink = await createSink(baseUrl)
  const hook = await ergon.webhooks.create({ name: 'ergon listen', url: sink.url })
  try {
    const events = switchesOf(hook.events, values.events)
    if (values.events !== undefined) await ergon.webhooks.update(hook.id, { events })
    if (values.json) console.log(JSON.stringify({ signing_secret: hook.signing_secret, target }))
    else {
      const types = Object.keys(events).filter((type) => events[type])
      console.log(`Forwarding ${types.join(', ')}\nto ${target}. Ctrl-C stops it.`)
      console.log(`Signing secret: ${hook.signing_secret}`)
    }
    await forwardAll({ address: sink.address, target: target!, stopped, json: values.json })
  } finally {
    await ergon.webhooks.delete(hook.id)
  }
  if (!values.json) console.log('Stopped; the webhook is removed.')
  return 0
}

/** The sandbox is at the same origin as /v1, and open to callers on its own machine. */
async function createSink(baseUrl: string): Promise<{ url: string; address: string }> {
  const sinks = `${new URL(baseUrl).origin}/sandbox/webhook-sink`
  const response = await fetch(sinks, { method: 'POST' }).catch(() => undefined)
  if (!response) throw new Unusable(`Nothing answers at ${sinks}. Is the sandbox running?`)
  if (!response.ok) {
    throw new Unusable(`${baseUrl} is not a sandbox on this machine; listen works with one only.`)
  }
  const { id, url } = (await response.json()) as { id: string; url: string }
  return { url, address: `${sinks}/${id}` }
}

/** `--events a,b`: only these; without it, the defaults of a new webhook. */
function switchesOf(usual: Record<string, boolean>, list: string | undefined) {
  if (list === undefined) return usual
  const wanted = list.split(',').map((type) => type.trim())
  const off = Object.keys(usual).map((type) => [type, false] as const)
  return Object.fromEntries([...off, ...wanted.map((type) => [type, true] as const)])
}

type Forwarding = {
  address: string
  target: string
  stopped: AbortSignal
  json: boolean | undefined
}

async function forwardAll({ address, target, stopped, json }: Forwarding): Promise<void> {
  let done = 0
  while (!stopped.aborted) {
    const answer = await fetch(address, { signal: stopped }).catch(() => undefined)
    if (answer?.status === 404) throw new Error('The sandbox was started anew; listen again.')
    const { deliveries } = answer?.ok
      ? ((await answer.json()) as { deliveries: Delivery[] })
      : { deliveries: [] }
    for (const delivery of deliveries.slice(done)) {
      const result = await forward(delivery, target)
      const type = delivery.headers['x-service-event']
      const id = delivery.headers['x-service-delivery']
      console.log(json ? JSON.stringify({ type, delivery: id, result }) : `${type} -> ${result}`)
      done += 1
    }
    await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => {})
  }
}

/** Forwards the bytes and the signed headers unchanged, so that the receiver can verify them. */
async function forward({ headers, raw_body }: Delivery, target: string): Promise<string> {
  const kept = Object.entries(headers).filter(([name]) => /^(x-service-|content-type$)/.test(name))
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: Object.fromEntries(kept),
      body: raw_body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    const { message, cause } = error as Error
    return `no answer: ${cause instanceof Error && cause.message ? cause.message : message}`
  }
}

function untilSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => controller.abort())
  }
  return controller.signal
}
