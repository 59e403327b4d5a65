import { ConnectionError, ErgonError } from '../../sdk/index.ts'

/** The service said no; `message` is its sentence. */
export class Refused extends Error {}

export type Answer = { body: unknown; cookies: string[] }
type Ask = { method: string; body?: unknown; headers?: Record<string, string> }

/** One call to what the SDK does not cover: the sandbox's own endpoints and the workspace's. */
export async function call(url: string, { method, body, headers = {} }: Ask): Promise<Answer> {
  const json = body === undefined ? undefined : JSON.stringify(body)
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  const ask = {
    method,
    headers: { ...type, ...headers },
    ...(json !== undefined && { body: json }),
  }
  const response = await fetch(url, ask).catch(() => {
    throw new ConnectionError(`No answer from ${new URL(url).origin}`)
  })
  const text = await response.text()
  const found = parsed(text)
  const why = sentenceOf(found) ?? `${method} ${url}: ${response.status}`
  // After 5xx nobody knows what was done.
  if (response.status >= 500) throw new ErgonError(why)
  if (!response.ok) throw new Refused(why)
  return { body: found, cookies: response.headers.getSetCookie() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Refusals have several shapes; the sentence is the first text in them. */
function sentenceOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) return sentenceOf(body[0])
  if (typeof body !== 'object' || body === null) return undefined
  const { detail, message, msg, error } = body as Record<string, unknown>
  return [message, msg, detail, error].map(sentenceOf).find((text) => text !== undefined)
}
