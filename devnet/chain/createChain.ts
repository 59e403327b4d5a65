import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stringifyJson } from '@ergon/tron'
import { genesisBlock } from './assemble.ts'
import { fileLog, memoryLog } from './blockLog.ts'
import { BlockStore } from './blockStore.ts'
import { Chain } from './chain.ts'
import { ChainClock } from './clock.ts'
import { applyGenesis, createNetwork, type Genesis } from './genesis.ts'
import { slotMs } from './parameters.ts'
import { type SignerOf, signerOf as wasmSignerOf } from './signatures.ts'
import { readJsonFile, readSnapshot, replaceFile, writeSnapshot } from './snapshot.ts'
import { State } from './state.ts'

export type ChainOptions = {
  /** Where blocks and state are kept; undefined keeps them in memory. */
  dataDir?: string
  /** Blocks between the head and the solid block; 6 by default. */
  solidLag?: number
  genesis?: Genesis
  /** The wall clock, in milliseconds. */
  now?: () => number
  /** Who made a signature: libsecp256k1 in WebAssembly, unless a bench compares another. */
  signerOf?: SignerOf
}

const snapshotEvery = 200

/** Opens the chain of the folder, or begins one. */
export function createChain(options: ChainOptions = {}): Chain {
  const { dataDir, solidLag = 6, genesis = { accounts: [] }, now = Date.now } = options
  const settled = { solidLag, genesis, now, signerOf: options.signerOf ?? wasmSignerOf }
  if (!dataDir) return begin(settled)
  mkdirSync(dataDir, { recursive: true })
  return open(dataDir, settled)
}

/** Deletes the chain of the folder; the next start begins another one. */
export function resetChain(dataDir: string): void {
  for (const name of Object.values(files)) rmSync(join(dataDir, name), { force: true })
}

const files = {
  genesis: 'genesis.json',
  blocks: 'blocks.log',
  state: 'state.jsonl',
  clock: 'clock.json',
}

type Settled = Required<Omit<ChainOptions, 'dataDir'>>

function begin({ solidLag, genesis, now, signerOf }: Settled): Chain {
  const time = genesisTime(now)
  const state = new State()
  const store = new BlockStore(memoryLog())
  store.append(genesisBlock(time))
  applyGenesisTo(state, genesis, time)
  const clock = new ChainClock(now)
  return firstBlock(
    new Chain({ state, store, network: createNetwork(), clock, solidLag, base: 0, signerOf }),
  )
}

function open(dataDir: string, { solidLag, genesis, now, signerOf }: Settled): Chain {
  const path = (name: keyof typeof files) => join(dataDir, files[name])
  const time = settleGenesis(path('genesis'), genesis, now)
  const store = new BlockStore(fileLog(path('blocks')))
  if (store.head < 0) store.append(genesisBlock(time))
  const state = new State()
  const snapshot = readSnapshot(path('state'), state)
  if (snapshot === undefined) applyGenesisTo(state, genesis, time)
  const base = snapshot ?? 0
  if (base > store.head) throw new Error(`${dataDir} has a state without its blocks; reset it`)
  const kept = readJsonFile(path('clock')) as { offset_ms: number } | undefined
  const clock = new ChainClock(now, kept?.offset_ms ?? 0, (offset_ms) =>
    replaceFile(path('clock'), JSON.stringify({ offset_ms })),
  )
  const chain = new Chain({
    state,
    store,
    network: createNetwork(),
    clock,
    solidLag,
    base,
    signerOf,
    onBlock(changed) {
      if (changed.head.number % snapshotEvery !== 0) return
      changed.sync()
      const solid = changed.solidNumber
      writeSnapshot(path('state'), solid, changed.viewAt(solid).tables)
    },
  })
  for (let n = base + 1; n <= store.head; n++) chain.replay(store.read(n)!)
  // A clock that was moved and lost (the file is older than the blocks) must not go back.
  const behind = chain.head.timestamp - clock.now()
  if (behind > 0) clock.advance(behind)
  return firstBlock(chain)
}

/** The genesis of the folder stays what it was; another one on top of old blocks is a mistake. */
function settleGenesis(path: string, genesis: Genesis, now: () => number): number {
  const wanted = stringifyJson(genesis)
  const kept = readJsonFile(path) as { time: number; genesis: unknown } | undefined
  if (kept) {
    if (stringifyJson(kept.genesis) === wanted) return kept.time
    throw new Error(`${path} is another genesis than the one asked for; start with --reset`)
  }
  const time = genesisTime(now)
  replaceFile(path, stringifyJson({ time, genesis }))
  return time
}

function applyGenesisTo(state: State, genesis: Genesis, time: number): void {
  applyGenesis(state.tables, genesis, time)
  state.seal()
  state.forget(0)
}

function genesisTime(now: () => number): number {
  return Math.floor(now() / slotMs) * slotMs - slotMs
}

// TronWeb builds on the head block and needs its number, which a genesis block does not print.
function firstBlock(chain: Chain): Chain {
  if (chain.head.number === 0) chain.mine()
  return chain
}
