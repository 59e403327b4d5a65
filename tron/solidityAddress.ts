import { exchange, type Target, type World } from './exchange.ts'
import { hash, object } from './jsonFields.ts'
import { NodeTrouble } from './trouble.ts'
import { DecodeError } from './wire.ts'

/**
 * Where a node serves /walletsolidity if not at its own address: where it was said to, or on the next
 * port, as java-tron does by default (8090 and 8091). Believed only with the same block 0, because the
 * port may be of another network's node.
 */
export async function findSolidity(world: World, target: Target, until: number): Promise<string> {
  const url = target.solidityUrl ?? portAfter(target.url)
  const missing = (why: string, cause?: unknown) => {
    const message = `no /walletsolidity here${why}; TRON_SOLIDITY_URL can name its address`
    return new NodeTrouble('not_served', message, { node: target.host, cause })
  }
  if (url === undefined) throw missing('')
  const { host } = new URL(url)
  const firstBlockAt = async (at: Target, prefix: string) => {
    const question = { path: `${prefix}/getblockbynum`, body: { num: 0 } }
    const json = await exchange(world, at, { ...question, timeoutMs: until - world.now() })
    return hash(object(json, 'block').blockID, 'blockID')
  }
  const ours = await firstBlockAt(target, 'wallet')
  let theirs: string
  try {
    // A guessed port is not trusted with the key.
    const apiKey = target.solidityUrl ? target.apiKey : undefined
    theirs = await firstBlockAt({ ...target, url, host, apiKey }, 'walletsolidity')
  } catch (error) {
    if (error instanceof NodeTrouble && error.kind === 'rate_limited') throw error
    if (!(error instanceof NodeTrouble || error instanceof DecodeError)) throw error
    throw missing(`, and at ${host} ${error.message}`, error)
  }
  if (theirs !== ours) throw missing(`, and ${host} is of another network`)
  return url
}

/** Undefined where the address names no port: then it is a gateway's. */
function portAfter(url: string): string | undefined {
  const beside = new URL(url)
  if (beside.port === '' || beside.port === '65535') return undefined
  beside.port = String(Number(beside.port) + 1)
  return beside.href.replace(/\/+$/, '')
}
