import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseJson, stringifyJson } from '@ergon/tron'

/** What the node says instead of the truth; a test changes it at any time. */
export type Levers = {
  /** Constant calls run out of the node's time. */
  isSlow: boolean
  /** It takes no transactions, and answers half of the reads with its own words for "too much". */
  isBusy: boolean
  /** By how much its head is behind: it syncs. */
  behindMs: number
  /** Transactions are passed on and called duplicates, as when the first answer was lost. */
  isDuplicate: boolean
  /** Balances by hex address as they will be when what is pending is in a block. */
  pending: Map<string, bigint>
}

export type NodeLike = {
  url: string
  solidityUrl: string
  /** Paths in the order in which they were asked for. */
  asked: string[]
  levers: Levers
  close(): Promise<void>
}

const HTML = '<html><body><h2>HTTP ERROR 405 Method Not Allowed</h2></body></html>'
const TIME_IS_UP =
  "class org.tron.core.vm.program.Program$OutOfTimeException : CPU timeout for 'PUSH1' operation executing"
const BUSY = 'class java.lang.IllegalAccessException : lack of computing resources'
const TRIES = 50

/**
 * A devnet as java-tron comes: /wallet on one port and /walletsolidity on the next, a page of HTML for
 * anything else, and pending transactions in the state of the head.
 */
export async function openNodeLike(devnetUrl: string): Promise<NodeLike> {
  const asked: string[] = []
  const levers: Levers = {
    isSlow: false,
    isBusy: false,
    behindMs: 0,
    isDuplicate: false,
    pending: new Map(),
  }
  const serverOf = (prefix: string) =>
    createServer((request, response) => {
      void answer(request, response, prefix).catch(() => response.destroy())
    })

  async function answer(request: IncomingMessage, response: ServerResponse, prefix: string) {
    const path = (request.url ?? '').slice(1)
    const body = await textOf(request)
    asked.push(path)
    if (!path.startsWith(prefix)) {
      response.writeHead(405, { 'content-type': 'text/html;charset=utf-8' }).end(HTML)
      return
    }
    const instead = falseAnswer(path)
    if (instead) return void response.end(stringifyJson(instead))
    const passedOn = await fetch(`${devnetUrl}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body || '{}',
    })
    const told = changed(path, body, await passedOn.text())
    response.writeHead(passedOn.status, { 'content-type': 'application/json' }).end(await told)
  }

  function falseAnswer(path: string): unknown {
    if (levers.isSlow && path.endsWith('triggerconstantcontract')) {
      const message = Buffer.from(TIME_IS_UP).toString('hex')
      return { result: { code: 'OTHER_ERROR', message } }
    }
    if (!levers.isBusy) return undefined
    if (path === 'wallet/broadcasthex') {
      return { result: false, code: 'SERVER_BUSY', message: 'Server busy.' }
    }
    return { Error: BUSY }
  }

  async function changed(path: string, body: string, text: string): Promise<string> {
    if (path === 'wallet/broadcasthex' && levers.isDuplicate) {
      const { txid } = parseJson(text) as { txid?: string }
      const duplicate = { code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction.' }
      return stringifyJson({ result: false, ...duplicate, txid })
    }
    if (path === 'wallet/getaccount') return withPending(body, text)
    if (path === 'wallet/gettransactionbyid' && text === '{}') return fromPool(body)
    const isHead = path === 'wallet/getnowblock' || path === 'wallet/getblock'
    return isHead && levers.behindMs > 0 ? older(text, levers.behindMs) : text
  }

  function withPending(body: string, text: string): string {
    const { address } = parseJson(body) as { address: string }
    const balance = levers.pending.get(address)
    if (balance === undefined) return text
    return stringifyJson({ address, ...(parseJson(text) as object), balance })
  }

  /** As java-tron shows what is in no block: with a result. */
  async function fromPool(body: string): Promise<string> {
    const url = `${devnetUrl}/wallet/gettransactionfrompending`
    const text = await (await fetch(url, { method: 'POST', body })).text()
    if (text === '{}') return text
    return stringifyJson({ ret: [{ contractRet: 'SUCCESS' }], ...(parseJson(text) as object) })
  }

  const [full, solidity] = await listenOnTwoPorts(() => [
    serverOf('wallet/'),
    serverOf('walletsolidity/'),
  ])
  return {
    url: urlOf(full),
    solidityUrl: urlOf(solidity),
    asked,
    levers,
    close: async () => void (await Promise.all([full, solidity].map(shut))),
  }
}

function older(text: string, ms: number): string {
  const block = parseJson(text) as { block_header: { raw_data: { timestamp: number } } }
  block.block_header.raw_data.timestamp -= ms
  return stringifyJson(block)
}

/** The second is the one after the first, which somebody else may have: then others are tried. */
async function listenOnTwoPorts(make: () => [Server, Server]): Promise<[Server, Server]> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [first, second] = make()
    await listen(first, 0)
    const { port } = first.address() as AddressInfo
    if (port < 65_535 && (await listen(second, port + 1))) return [first, second]
    await shut(first)
  }
  throw new Error('no two free ports beside each other')
}

function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
