import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Ergon, verifyWebhook } from '../../sdk/index.ts'
import { readArguments, words } from './arguments.ts'
import { connect, isHttp } from './connection.ts'
import { keep, readKept } from './kept.ts'
import { Unusable } from './unusable.ts'
import { switchesOf } from './webhooks.ts'

const EVERY_MS = 300
/** As long as the service waits for an answer. */
const ANSWER_MS_MAX = 5_000
const OPTIONS = { events: { type: 'string' } } as const

type Delivery = { headers: Record<string, string>; raw_body: string }
/** What one run leaves to the next, so that a receiver keeps its secret. */
type Listener = { webhook_id: string; signing_secret: string; sink: Sink }
type Sink = { url: string; address: string }

/**
 * Forwards events of the sandbox to a local URL until it is stopped. Its webhook and secret are kept: while
 * nobody listens the webhook is disabled.
 */
export async function listen(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [target] = words(positionals, 'URL')
  if (!isHttp(target!)) {
    throw new Unusable(`"${target}" is not an address such as http://localhost:3000/hook.`)
  }
  const { ergon, baseUrl, apiKey } = connect(values)
  // At once: the webhook takes a moment.
  if (!values.json) {
    console.log(`Forwarding events of ${baseUrl} to ${target}, signed. Ctrl-C stops it.`)
  }
  // First, so that a signal from now on does not end the process before the cleanup.
  const stopped = untilSignal()
  const { listener, usual } = await openListener(ergon, baseUrl, apiKey)
  const { webhook_id, signing_secret, sink } = listener
  const seen = (await deliveriesAt(sink.address)).length
  const events = switchesOf(usual, values.events)
  await ergon.webhooks.update(webhook_id, { url: sink.url, events, status: 'active' })
  try {
    if (values.json) console.log(JSON.stringify({ signing_secret, target }))
    else {
      const types = Object.keys(events).filter((type) => events[type])
      console.log(`Events: ${types.join(', ')}`)
      console.log(`Signing secret: ${signing_secret}`)
    }
    await forwardAll({ listener, target: target!, stopped, json: values.json, seen })
  } finally {
    await ergon.webhooks.update(webhook_id, { status: 'disabled' })
  }
  if (!values.json) console.log('Stopped. The webhook waits, disabled, for the next run.')
  return 0
}

/** The webhook of the last run with its secret, or a new one. The sandbox forgets sinks when it stops. */
async function openListener(ergon: Ergon, baseUrl: string, apiKey: string) {
  const id = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex').slice(0, 16)
  const all = readKept<Record<string, Listener>>('listen') ?? {}
  const kept = all[id]
  const hook = kept && (await ergon.webhooks.list()).find((one) => one.id === kept.webhook_id)
  const isSinkThere = kept && (await fetch(kept.sink.address).catch(() => undefined))?.ok
  const sink = isSinkThere ? kept.sink : await createSink(baseUrl)
  if (hook) {
    const listener = { ...kept!, sink }
    if (!isSinkThere) keep('listen', { ...all, [id]: listener })
    return { listener, usual: hook.events }
  }
  const made = await ergon.webhooks.create({ name: 'ergon listen', url: sink.url })
  const listener = { webhook_id: made.id, signing_secret: made.signing_secret, sink }
  keep('listen', { ...all, [id]: listener })
  return { listener, usual: made.events }
}

/** The sandbox is at the same origin as /v1, and open to callers on its own machine. */
async function createSink(baseUrl: string): Promise<Sink> {
  const sinks = `${new URL(baseUrl).origin}/sandbox/webhook-sink`
  const response = await fetch(sinks, { method: 'POST' }).catch(() => undefined)
  if (!response) throw new Unusable(`Nothing answers at ${sinks}. Is the sandbox running?`)
  if (!response.ok) {
    throw new Unusable(`${baseUrl} is not a sandbox on this machine; listen works with one only.`)
  }
  const { id, url } = (await response.json()) as { id: string; url: string }
  return { url, address: `${sinks}/${id}` }
}

async function deliveriesAt(address: string, signal?: AbortSignal): Promise<Delivery[]> {
  const ask = signal ? { signal } : {}
  const answer = await fetch(address, ask).catch(() => undefined)
  if (answer?.status === 404) throw new Error('The sandbox was started anew; listen again.')
  return answer?.ok ? ((await answer.json()) as { deliveries: Delivery[] }).deliveries : []
}

type Forwarding = {
  listener: Listener
  target: string
  stopped: AbortSignal
  json: boolean | undefined
  /** Deliveries of earlier runs. */
  seen: number
}

async function forwardAll({ listener, target, stopped, json, seen }: Forwarding): Promise<void> {
  let done = seen
  let isTold = false
  while (!stopped.aborted) {
    const deliveries = await deliveriesAt(listener.sink.address, stopped)
    for (const delivery of deliveries.slice(done)) {
      const result = await forward(delivery, target)
      if (!isTold && !(await isOurs(delivery, listener))) {
        isTold = true
        console.error(
          `The secret of this webhook was changed. For a new one: npx ergon webhooks delete ${listener.webhook_id}, then listen again.`,
        )
      }
      const type = delivery.headers['x-service-event']
      const id = delivery.headers['x-service-delivery']
      console.log(json ? JSON.stringify({ type, delivery: id, result }) : `${type} -> ${result}`)
      done += 1
    }
    await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => {})
  }
}

/** Whether the secret that we printed still verifies what is delivered. */
function isOurs({ headers, raw_body: body }: Delivery, { signing_secret: secret }: Listener) {
  return verifyWebhook({ headers, body, secret }).then(
    () => true,
    (error) => error.problem !== 'signature',
  )
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
