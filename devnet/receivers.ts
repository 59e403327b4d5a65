import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Receivers of webhooks that record what they get, for clients who build and test offline. */
export type Answer = 200 | 500 | 'hang'
type Delivery = { received_at: string; headers: Record<string, string>; raw_body: string }
type Receiver = { answer: Answer; deliveries: Delivery[] }

/** Beyond these the oldest go: a forgotten receiver must not eat the machine. */
const RECEIVERS_MAX = 1_000
const DELIVERIES_MAX = 20_000

export class Receivers {
  readonly #receivers = new Map<string, Receiver>()

  create(): { id: string } {
    const id = randomUUID()
    if (this.#receivers.size >= RECEIVERS_MAX) {
      this.#receivers.delete(this.#receivers.keys().next().value!)
    }
    this.#receivers.set(id, { answer: 200, deliveries: [] })
    return { id }
  }

  deliveries(id: string): { deliveries: Delivery[] } | undefined {
    const receiver = this.#receivers.get(id)
    return receiver && { deliveries: receiver.deliveries }
  }

  setAnswer(id: string, answer: Answer): { id: string; answer: Answer } | undefined {
    const receiver = this.#receivers.get(id)
    if (!receiver) return undefined
    receiver.answer = answer
    return { id, answer }
  }

  /** One delivery. A receiver that hangs never answers; the sender needs a timeout. */
  receive(id: string, request: IncomingMessage, body: string, response: ServerResponse): void {
    const receiver = this.#receivers.get(id)
    if (!receiver) return void response.writeHead(404).end()
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    receiver.deliveries.push({
      received_at: new Date().toISOString(),
      headers,
      raw_body: body,
    })
    if (receiver.deliveries.length > DELIVERIES_MAX) receiver.deliveries.shift()
    if (receiver.answer !== 'hang') response.writeHead(receiver.answer).end()
  }
}

/** What the control endpoints answer, or undefined where the path is not one of theirs. */
export function controlReceivers(
  receivers: Receivers,
  { method, path, body }: { method: string; path: string; body: string },
): { status: number; json: unknown } | undefined {
  const found = /^\/control\/receivers(?:\/([0-9a-f-]{36}))?$/.exec(path)
  if (!found) return undefined
  const [, id] = found
  if (id === undefined) {
    return method === 'POST' ? { status: 200, json: receivers.create() } : missing
  }
  const answer = method === 'POST' ? receivers.setAnswer(id, answerIn(body)) : undefined
  const json = method === 'POST' ? answer : receivers.deliveries(id)
  return json ? { status: 200, json } : missing
}

const missing = { status: 404, json: { error: 'there is no such receiver' } }

function answerIn(body: string): Answer {
  const { answer } = JSON.parse(body) as { answer: Answer }
  return answer === 500 || answer === 'hang' ? answer : 200
}
