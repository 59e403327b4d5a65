import { createNodeClient, type NodeClient, toHex } from '@ergon/tron'
import type { Settings } from '../../kernel/index.ts'
import { type Check, ill as illOf, messageOf, type Patient } from './check.ts'

/** Block time differs from ours by up to a block. */
const CLOCK_OFF_MS_MAX = 5_000
const HEAD_AGE_MS_MAX = 30_000
/** On mainnet a block is solid after about a minute. */
const SOLID_AGE_MS_MAX = 300_000
export const NODE_TIMEOUT_MS = 5_000
const NODE_REMEDY = 'Start it or correct TRON_URL; a gateway may want TRON_API_KEY.'
const DEVNET_REMEDY = 'Run npm start; set DEVNET_PORT here as it was set there.'
const OTHER_NODE = 'Wait until it has caught up, or name another node in TRON_URL.'
const SOLIDITY_REMEDY =
  'Let it serve /walletsolidity (solidityEnable in its configuration, port 8091) or set TRON_SOLIDITY_URL.'
const CONSTANT_REMEDY =
  'Set vm.supportConstant = true in its configuration, or wait if it has just been started.'
const USDT_REMEDY = 'Correct USDT_CONTRACT, or TRON_URL if the node is of another network.'

type Made = Pick<Check, 'cause' | 'remedy'>
type Asked = { client: NodeClient; host: string; now: number; usdt: string; remedy: string }

/** The nodes of the settings; in the sandbox the devnet. */
export function nodesNamed({ TRON_URL, TRON_SOLIDITY_URL, MODE, DEVNET_PORT }: Settings) {
  const isNamed = TRON_URL.length > 0
  const devnet = MODE === 'sandbox' ? [`http://127.0.0.1:${DEVNET_PORT}`] : []
  return {
    isNamed,
    urls: isNamed ? TRON_URL : devnet,
    solidityUrls: isNamed ? TRON_SOLIDITY_URL : [],
  }
}

/** Each node: its head, its solid block and a constant call. The first that fails is told. */
export async function checkNodes(
  { runtime, usdtContract }: Patient,
  settings: Settings,
): Promise<Check[]> {
  const { TRON_API_KEY } = settings
  const { isNamed, urls, solidityUrls } = nodesNamed(settings)
  if (urls.length === 0) {
    return [
      ill({ cause: 'No node is named.', remedy: 'Set TRON_URL to one or several full nodes.' }),
    ]
  }
  if (![0, urls.length].includes(solidityUrls.length)) {
    const cause = `TRON_URL names ${urls.length} nodes and TRON_SOLIDITY_URL ${solidityUrls.length}.`
    return [
      ill({ cause, remedy: 'Name the solidity address of each, in the same order, or of none.' }),
    ]
  }
  return Promise.all(
    urls.map(async (url, place) => {
      const host = URL.canParse(url) ? new URL(url).host : 'TRON_URL'
      const remedy = isNamed ? NODE_REMEDY : DEVNET_REMEDY
      try {
        const client = createNodeClient({
          urls: [url],
          solidityUrls: solidityUrls.slice(place, place + 1),
          timeoutMs: NODE_TIMEOUT_MS,
          now: () => runtime.clock.now().getTime(),
          ...(TRON_API_KEY && { apiKey: TRON_API_KEY }),
        })
        const now = runtime.clock.now().getTime()
        return await checkNode({ client, host, now, usdt: usdtContract(settings), remedy })
      } catch (error) {
        return ill({ cause: `${host} does not answer: ${messageOf(error)}`, remedy })
      }
    }),
  )
}

async function checkNode(asked: Asked): Promise<Check> {
  const { client, host, now } = asked
  const head = await client.getNowBlock()
  const seconds = Math.round(Math.abs(now - head.timestamp) / 1000)
  if (now - head.timestamp > HEAD_AGE_MS_MAX) {
    const cause = `${host} is stale: its newest block ${head.number} is ${seconds} s old.`
    return ill({ cause, remedy: OTHER_NODE })
  }
  if (head.timestamp - now > CLOCK_OFF_MS_MAX) {
    const cause = `The newest block of ${host} is ${seconds} s in our future: this clock is behind.`
    return {
      ...ill({ cause, remedy: 'Run a time service (chrony or systemd-timesyncd).' }),
      name: 'clock',
    }
  }
  const solid = await solidOf(asked)
  if ('remedy' in solid) return ill(solid)
  const missing = await callMissing(asked)
  if (missing) return ill(missing)
  const at = `${host} is at block ${head.number}, solid up to ${solid.number}, and runs constant calls.`
  return { name: 'node', ok: true, cause: at, remedy: '' }
}

async function solidOf({ client, host, now }: Asked): Promise<Made | { number: number }> {
  try {
    const solid = await client.getSolidBlock()
    const seconds = Math.round((now - solid.timestamp) / 1000)
    // Block 0 has no time: a new network has nothing solid yet.
    if (solid.number === 0 || now - solid.timestamp <= SOLID_AGE_MS_MAX) return solid
    const cause = `The newest solid block of ${host} is ${seconds} s old.`
    return { cause, remedy: OTHER_NODE }
  } catch (error) {
    const cause = `${host} shows no solid blocks, by which deposits become final: ${messageOf(error)}`
    return { cause, remedy: SOLIDITY_REMEDY }
  }
}

/** The balance of the contract itself: every token answers that. */
async function callMissing({ client, host, usdt }: Asked): Promise<Made | undefined> {
  const contractAddress = toHex(usdt)
  const data = `70a08231${contractAddress.slice(2).padStart(64, '0')}`
  const cannot = (why: string) =>
    `${host} runs no constant call, by which transfers are estimated: ${why}`
  try {
    const call = { ownerAddress: contractAddress, contractAddress, data }
    const answer = await client.triggerConstantContract(call)
    if (answer.ran) return undefined
    if (/support/.test(answer.message)) {
      return { cause: cannot(answer.message), remedy: CONSTANT_REMEDY }
    }
    return { cause: `${usdt} is no token at ${host}: ${answer.message}`, remedy: USDT_REMEDY }
  } catch (error) {
    return { cause: cannot(messageOf(error)), remedy: CONSTANT_REMEDY }
  }
}

const ill = ({ cause, remedy }: Made): Check => illOf('node', cause, remedy)
