import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export type PostRequest = { headers: Record<string, string>; body: string; signal: AbortSignal }
export type PostAnswer = {
  status: number
  headers: { get(name: string): string | null }
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
}

/** One POST; no redirect is followed, which would carry the key to another host. */
export type Post = (url: string, request: PostRequest) => Promise<PostAnswer>

/**
 * Not `fetch`: each of its answers is kept, with its body, until the next full collection, and a
 * scanner reads two megabytes every block.
 */
export const post: Post = (url, { headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestHttps : requestHttp
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const request = open(url, { method: 'POST', headers: { ...headers, ...length }, signal })
    // Stays: what breaks after the answer has begun is told by its body as well.
    request.on('error', reject)
    request.once('response', (answer) => resolve(answerOf(answer)))
    request.end(body)
  })

function answerOf(answer: IncomingMessage): PostAnswer {
  const get = (name: string) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? value : null
  }
  return { status: answer.statusCode!, headers: { get }, body: answer }
}
