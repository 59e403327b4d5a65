import { readServerTime } from './clock.ts'

/** Calls of the workspace's API. Amounts that end in _sun arrive as bigint: a float would round them. */

export class ApiTrouble extends Error {
  readonly status: number
  /** The stable code of a refusal, or '' when there is none. */
  readonly code: string
  readonly detail: unknown
  /** The sentence that stands beside the detail of a refusal. */
  readonly sentence: string | undefined
  constructor(status: number, detail: unknown, sentence?: string) {
    super(`the API answered ${status}`)
    this.status = status
    this.detail = detail
    this.sentence = sentence
    const { error, code } = (detail ?? {}) as { error?: string; code?: string }
    this.code = typeof detail === 'object' ? (error ?? code ?? '') : ''
  }
}

type Source = { source: string }

function reviveSun(this: unknown, key: string, value: unknown, context?: Source): unknown {
  if (typeof value !== 'number' || !key.endsWith('_sun')) return value
  return BigInt(context?.source ?? Math.round(value))
}

/** What the server takes as a second factor of this person. */
export type SecondStep = 'code' | 'passkey' | 'either'

/** Asks the user for a code or a passkey and sends it to the server; false when none was given. */
let askForCode: ((way: SecondStep) => Promise<boolean>) | undefined
export function whenCodeIsRequired(ask: typeof askForCode) {
  askForCode = ask
}

/** Sends a request; repeats it once a fresh code was given, if the server asks for one. */
export async function request<T>(...call: Parameters<typeof send>): Promise<T> {
  try {
    return await send<T>(...call)
  } catch (error) {
    if (!(error instanceof ApiTrouble) || error.code !== 'code_required') throw error
    const { second_step: way = 'code' } = error.detail as { second_step?: SecondStep }
    if (!(await askForCode?.(way))) throw error
    return send<T>(...call)
  }
}

let isThere = true
const watchers = new Set<() => void>()

/** False after a call without an answer, until the next answer. */
export const isReached = () => isThere
export function whenReachChanges(watch: () => void): () => void {
  watchers.add(watch)
  return () => watchers.delete(watch)
}

function setReached(reached: boolean) {
  if (reached === isThere) return
  isThere = reached
  for (const watch of watchers) watch()
}

async function reached(...call: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(...call)
    setReached(true)
    return response
  } catch (error) {
    setReached(false)
    throw error
  }
}

async function send<T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const sentMs = Date.now()
  const response = await reached(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
  })
  readServerTime(response.headers.get('x-server-time'), sentMs, Date.now())
  const text = await response.text()
  const read = text === '' ? undefined : parse(text)
  if (!response.ok) {
    const { detail, message } = (read ?? {}) as { detail?: unknown; message?: string }
    throw new ApiTrouble(response.status, detail, message)
  }
  return read as T
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, reviveSun as (key: string, value: unknown) => unknown)
  } catch {
    return undefined
  }
}

export const get = <T>(path: string) => request<T>('GET', `/app/v1${path}`)
export const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>) =>
  request<T>('POST', `/app/v1${path}`, body, headers)
export const patch = <T>(path: string, body: unknown) => request<T>('PATCH', `/app/v1${path}`, body)
export const remove = (path: string) => request<void>('DELETE', `/app/v1${path}`)
