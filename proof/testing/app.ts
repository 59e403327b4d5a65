import { rmSync } from 'node:fs'
import type { Devnet } from '@ergon/devnet'
import { type App, openApp } from '../../service/app/app.ts'
import type { AppOptions } from '../../service/app/options.ts'
import { SANDBOX_DEPOSIT_XPUB, SANDBOX_USDT_CONTRACT } from '../../service/app/sandboxNetwork.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { sinkUrlOf } from '../../service/sandbox-api/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { assertPublished } from './published.ts'
import { fixedPart } from './refused.ts'
import { SOLID_LAG } from './solidLag.ts'
import { stretched } from './stretched.ts'
import { until } from './until.ts'
import { openDevnet, openSigner, signerFolder, type TestSigner } from './world.ts'

export { SANDBOX_DEPOSIT_XPUB }

export type TestApp = App & {
  database: TestDatabase
  devnet: Devnet
  signer: TestSigner | undefined
  /** A request to the client API; returns status, parsed body, raw text and headers. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  newAccount(body?: Record<string, unknown>): Promise<TestAccount>
  /**
   * Resolves when the service has read the head block. Compares ids: another branch has the same
   * heights.
   */
  scanned(): Promise<void>
  /** Whether its scanner has read the last block. */
  hasRead(): Promise<boolean>
  /** The next block, once the scanner has read the last one: a test that waits mines no more than is read. */
  mineWhenRead(): Promise<void>
}

export type TestAccount = { account_id: string; api_key: string; deposit_address: string }
type CallOptions = { key?: string; body?: unknown; headers?: Record<string, string> }
export type Answer = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the contract says is there
  body: any
  /** Of a refusal, the part that api.md fixes; so is `body`. */
  text: string
  /** Everything that was answered. */
  whole: string
  headers: Headers
}

export type TestAppOptions = Partial<Omit<AppOptions, 'sandbox'>> & {
  /** The database and devnet of another service, for tests with several nodes. */
  database?: TestDatabase
  devnet?: Devnet
  /** False: production mode, without /sandbox. */
  sandbox?: boolean
  /** Starts a signer, without which no Energy is delivered; an object changes its settings. */
  signer?: boolean | Record<string, string>
  /** 0: blocks only on request. Otherwise the interval of the test's own devnet. */
  blockMs?: number
  /** An API process that also scans the chain; without a scanner nothing is sold. */
  scans?: boolean
}

/**
 * Poll interval of the scanner. A new block wakes it; polling finds changes that bring no new
 * block.
 */
const SCAN_MS = 250
const HEAD_MS = 5
/** A purchase does not wait longer for a slow node, and would be sold here, too. */
const RECEIVER_MS = 150
/** How soon two services on one database see what the other has made. */
const LOOK_MS = 250
/** Each begins with empty caches and plans what it is asked: with twenty an opening takes the server a quarter longer. */
const CONNECTIONS = 8
/** The same in every service, because several may share a database. */
export const TEST_KEY = new Uint8Array(32).fill(7)

/** The whole service in this process, on its own database, in sandbox mode by default. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { sandbox = true, signer: wantsSigner, blockMs = 0, scans, ...given } = options
  const database = given.database ?? (await createTestDatabase())
  const devnet = given.devnet ?? (await openDevnet({ blockMs }))
  const ownFiles = wantsSigner ? signerFolder(devnet) : undefined
  const signer = wantsSigner
    ? await openSigner(database.url('ergon_signer'), {
        SIGNER_DIR: ownFiles!,
        ...(wantsSigner === true ? {} : wantsSigner),
      })
    : undefined
  const app = await openApp({
    // Scanning needs rights that an HTTP process does not have.
    databaseUrls: [database.url(given.role === 'api' && !scans ? 'ergon_api' : 'ergon_app')],
    host: '127.0.0.1',
    port: 0,
    metricsAt: null,
    trustedProxies: [],
    role: 'all',
    nodeUrls: [devnet.url],
    nodeApiKey: '',
    scanMs: SCAN_MS,
    lookMs: LOOK_MS,
    connections: CONNECTIONS,
    blockMs,
    receiverMs: stretched(RECEIVER_MS),
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    webhooks: { secretsKey: TEST_KEY, ...(sandbox && { sinkUrl: sinkUrlOf(devnet.url) }) },
    usdtContract: SANDBOX_USDT_CONTRACT,
    wakeSigner: () => signer?.wake(),
    runtime: systemRuntime(),
    log: silentLog,
    ...given,
    sandbox: sandbox ? { devnetUrl: devnet.url, solidLag: SOLID_LAG } : undefined,
  })
  signer?.onSigned(() => app.rooms.chain.broadcasts.loop.wake())
  const { scanLoop } = app.rooms.chain
  const stopWaking = onNewHead(devnet, () => scanLoop.wake())
  if (scans) scanLoop.start()
  const hasRead = async () => {
    const [at] = await database.sql<{ id: string }>('select block_id as id from chain.cursor')
    return at?.id === devnet.chain.head.id
  }
  const call = (method: string, path: string, asked: CallOptions = {}) =>
    request(app.url, method, path, asked)
  return {
    ...app,
    database,
    devnet,
    signer,
    call,
    async newAccount(body = {}) {
      const answer = await call('POST', '/sandbox/accounts', { body })
      if (answer.status !== 201) throw new Error(`no account: ${answer.text}`)
      return answer.body
    },
    async scanned() {
      await until('the scanner at the head', hasRead)
    },
    hasRead,
    async mineWhenRead() {
      if (await hasRead()) devnet.chain.mine()
    },
    async close() {
      stopWaking()
      if (scans) await scanLoop.stop()
      await app.close()
      await signer?.stop()
      if (ownFiles) rmSync(ownFiles, { recursive: true, force: true })
      if (!given.devnet) await devnet.close()
      if (!given.database) await database.drop()
    },
  }
}

/** Watches the chain in this process, which is cheaper than polling its node. */
function onNewHead(devnet: Devnet, react: () => void): () => void {
  // A devnet in another process gives only its address.
  if (!devnet.chain) return () => {}
  let seen = devnet.chain.head.id
  const timer = setInterval(() => {
    if (devnet.chain.head.id === seen) return
    seen = devnet.chain.head.id
    react()
  }, HEAD_MS)
  return () => clearInterval(timer)
}

/** Checks the answer against the published description. */
export async function request(
  base: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer> {
  const answer = await send(base, method, path, options)
  const { status, body, headers } = answer
  const type = headers.get('content-type') ?? ''
  assertPublished({ method, url: base + path }, { status, type, body })
  if (status < 400) return answer
  const text = fixedPart(answer.whole)
  return { ...answer, text, body: parsed(text) }
}

/** Without that check: a service of another release may publish less. */
export async function send(
  base: string,
  method: string,
  path: string,
  { key, body, headers = {} }: CallOptions,
): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const { status } = response
  return { status, text, whole: text, body: parsed(text), headers: response.headers }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
