#!/usr/bin/env node
import { fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '@ergon/tron'
import type { MarketplaceName } from '../marketplaces/dialect.ts'
import { nodeInProcess } from '../marketplaces/nodeInProcess.ts'
import { type OpenMarketplace, openMarketplace } from '../marketplaces/openMarketplace.ts'
import { marketplaceNames } from '../marketplaces/standIn.ts'
import { telegramToken } from '../telegram.ts'
import { resetChain } from './createChain.ts'
import { type Devnet, type DevnetOptions, startDevnet } from './devnet.ts'
import type { Genesis } from './genesis.ts'
import { keysJson } from './http/control.ts'

const { env } = process

await main()

async function main(): Promise<void> {
  const port = setting('DEVNET_PORT', 8090)
  const dataDir = env.DATA_DIR ?? join('.data', 'devnet')
  if (process.argv.includes('--reset')) resetChain(dataDir)
  const genesis = env.DEVNET_GENESIS ? readGenesis(env.DEVNET_GENESIS) : undefined
  let isReady = false
  const options = {
    port,
    // The parent process first gets the message that the devnet is ready, then one message per new block.
    onHead: () => isReady && process.send?.('block'),
    dataDir,
    blockMs: setting('BLOCK_MS', 3000),
    solidLag: setting('SOLID_LAG', 6),
    ...(genesis ? { genesis } : {}),
    ...nodePorts(),
  }
  const devnet = await startDevnet(options).catch((error: NodeJS.ErrnoException) =>
    leave(
      error.code === 'EADDRINUSE'
        ? `Port ${takenPort(error) ?? port} is taken: stop what uses it or set DEVNET_PORT.`
        : error.message,
    ),
  )
  const marketplaces = await openMarketplaces(devnet)
  stopWith(devnet, marketplaces)
  const ready = {
    ready: true,
    url: devnet.url,
    genesis_id: devnet.chain.block(0)!.id,
    ...(devnet.node ? { node: describeNode(devnet.node) } : {}),
    marketplaces: marketplaces.map(describe),
    telegram: { url: devnet.telegramUrl, token: telegramToken },
  }
  if (process.send) process.send(ready)
  else announce(ready, devnet)
  isReady = true
}

function takenPort(error: NodeJS.ErrnoException): number | undefined {
  return (error as { port?: number }).port
}

/** DEVNET_NODE_PORTS names two: the one of /wallet and the one of /walletsolidity. */
function nodePorts(): Pick<DevnetOptions, 'nodePorts'> {
  const text = env.DEVNET_NODE_PORTS ?? ''
  if (text === '') return {}
  const [full, solidity, ...more] = text.split(',').map(Number)
  const isPort = (port: number | undefined): port is number => Number.isInteger(port) && port! >= 0
  if (isPort(full) && isPort(solidity) && more.length === 0)
    return { nodePorts: { full, solidity } }
  return leave('DEVNET_NODE_PORTS must be two ports with a comma between them.')
}

function describeNode({ url, solidityUrl }: NonNullable<Devnet['node']>) {
  return { url, solidity_url: solidityUrl }
}

/** The stand-ins that MARKETPLACES names, each on a free port, in this process. */
function openMarketplaces(devnet: Devnet): Promise<OpenMarketplace[]> {
  const names = (env.MARKETPLACES ?? '').split(',').filter((name) => name !== '')
  const node = nodeInProcess(() => devnet.chain)
  return Promise.all(
    names.map((name) => {
      const known = marketplaceNames.find((one) => one === name)
      if (!known) return leave(`MARKETPLACES may name ${marketplaceNames.join(', ')}.`)
      return openMarketplace(known, { node })
    }),
  )
}

type Described = {
  name: MarketplaceName
  url: string
  control_url: string
  key: string
  secret: string
}

function describe({ name, url, controlUrl, key, secret }: OpenMarketplace): Described {
  return { name, url, control_url: controlUrl, key, secret }
}

function announce(ready: { url: string; marketplaces: Described[] }, { chain }: Devnet): void {
  const { funded_keys, usdt_contract } = keysJson(chain)
  console.log(JSON.stringify(ready))
  console.log(`USDT contract ${usdt_contract}`)
  console.log('Funded keys, 1,000,000 TRX and 1,000,000 USDT each (test mnemonic, not secret):')
  for (const { address, private_key } of funded_keys) console.log(`${address}  ${private_key}`)
}

/** A devnet that outlives the program that started it holds its port against the next one. */
function stopWith(devnet: Devnet, marketplaces: OpenMarketplace[]): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    const closed = Promise.all(marketplaces.map((one) => one.close()))
    closed.then(() => devnet.close()).then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
  if (env.npm_command === 'exec') withParent(stop)
  // Only a pipe has an end that means something: a terminal or /dev/null at stdin does not.
  if (process.send === undefined && isPipe()) {
    process.stdin.on('end', stop)
    process.stdin.on('error', stop)
    process.stdin.resume()
  }
}

/** npx hands TERM to its shell, which ends without handing it on. */
function withParent(stop: () => void): void {
  const parent = process.ppid
  const watch = () => process.ppid !== parent && stop()
  setInterval(watch, 500).unref()
}

function isPipe(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isSocket()
  } catch {
    return false
  }
}

function setting(name: string, standard: number): number {
  const text = env[name]
  if (text === undefined || text === '') return standard
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) return leave(`${name} must be a whole number.`)
  return value
}

function readGenesis(path: string): Genesis {
  try {
    return parseJson(readFileSync(path, 'utf8')) as Genesis
  } catch (error) {
    return leave(`DEVNET_GENESIS ${path} cannot be read: ${(error as Error).message}`)
  }
}

function leave(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
