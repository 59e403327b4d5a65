import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

export type PostRequest = { headers: Record<string, string>; body: string; signal: AbortSignal }
export type PostAnswer = {
  status: number
  headers: { get(name: string): string | null }
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
}

/** One POST; no redirect is followed, which would carry the key to another host. */
export type Post = (url: string, request: PostRequest) => Promise<PostAnswer>

/**
 * Not `fetch`: it keeps each answer with its body until the next full collection, and a scanner
 * reads two megabytes every block.
 */
export const post: Post = (url, { headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const open = new URL(url).protocol === 'https:' ? requestHttps : requestHttp
    const ours = {
      'accept-encoding': 'gzip',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'ergon',
    }
    const request = open(url, { method: 'POST', headers: { ...headers, ...ours }, signal })
    // Kept: an error after the answer has begun is also raised by its body.
    request.on('error', reject)
    request.once('response', (answer) => resolve(answerOf(answer)))
    request.end(body)
  })

function answerOf(answer: IncomingMessage): PostAnswer {
  const get = (name: string) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? value : null
  }
  return { status: answer.statusCode!, headers: { get }, body: plain(answer) }
}

/** The body; an error while decompressing is raised by reading it. */
function plain(answer: IncomingMessage): AsyncIterable<Uint8Array> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer
  return pipeline(answer, createGunzip(), () => {})
}
