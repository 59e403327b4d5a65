import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifyJson, toBase58 } from '@ergon/tron'
import { isLoopback, readBody, send } from '../socket.ts'
import { BadScript, changedScript } from './behaviour.ts'
import type { Dialect } from './dialect.ts'
import type { Market } from './market.ts'

/** Answers one request: the control endpoint by itself, everything else in the dialect. */
export async function serve(
  { dialect, market }: { dialect: Dialect; market: Market },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://marketplace')
  const body = await readBody(request)
  if (body === undefined) return send(response, 413, '{"error":"too large"}')
  if (url.pathname === '/control') return control({ dialect, market }, { request, response, body })
  if (market.script().behaviour === 'down') return void request.socket.destroy()
  const reply = await dialect.answer(
    {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      pathname: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
    },
    market,
  )
  // Never answered: the socket stays open until the client gives up or the stand-in is closed.
  if (reply === 'silence') {
    const answered = market.leaveUnanswered()
    return void response.once('close', answered)
  }
  send(response, reply.status, stringifyJson(reply.json))
}

type Exchange = { request: IncomingMessage; response: ServerResponse; body: string }

async function control(
  { dialect, market }: { dialect: Dialect; market: Market },
  { request, response, body }: Exchange,
): Promise<void> {
  if (!isLoopback(request)) return send(response, 403, '{"error":"control is for loopback only"}')
  try {
    if (request.method === 'POST') market.change(changedScript(market.script(), body))
  } catch (error) {
    if (!(error instanceof BadScript)) throw error
    return send(response, 400, stringifyJson({ error: error.message }))
  }
  await market.collect()
  const { behaviour, unitPrice, delayMs, topUp } = market.script()
  const shown = {
    name: dialect.name,
    behaviour,
    price_sun: unitPrice,
    delay_ms: delayMs,
    capacity: await market.capacity(),
    top_up: topUp,
    balance_sun: market.balance(),
    orders: market.orders.length,
    unanswered: market.unanswered(),
    held: market.held(dialect.hidesPartialEnd),
    delegator: toBase58(market.delegator),
    deposit_address: toBase58(market.delegator),
    top_ups: market.topUps().length,
  }
  send(response, 200, stringifyJson(shown))
}
