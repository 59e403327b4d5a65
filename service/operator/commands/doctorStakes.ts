import { createNodeClient, type HexAddress, type NodeClient, toBase58 } from '@ergon/tron'
import { type Db, readBusinessTime } from '../../db/index.ts'
import { formatTrx, type Settings } from '../../kernel/index.ts'
import { createSigning } from '../../signing/index.ts'
import { type Check, fine, ill, type Patient } from './check.ts'
import { NODE_TIMEOUT_MS, nodesNamed } from './doctorNodes.ts'

/** Whether each stake that the signer has published is on the chain, with TRX staked for Energy. */
export async function checkStakes(
  { runtime }: Patient,
  settings: Settings,
  db: Db,
): Promise<Check[]> {
  const { urls, solidityUrls } = nodesNamed(settings)
  if (urls.length === 0) return []
  await readBusinessTime(db, runtime.clock)
  const owners = await createSigning({ db, runtime, wake() {} }).addresses('stake')
  const { TRON_API_KEY } = settings
  try {
    const node = createNodeClient({
      urls,
      solidityUrls,
      timeoutMs: NODE_TIMEOUT_MS,
      now: () => runtime.clock.now().getTime(),
      ...(TRON_API_KEY && { apiKey: TRON_API_KEY }),
    })
    return await Promise.all(owners.map((owner) => checkStake(node, owner)))
  } catch {
    // The checks of the nodes tell it.
    return []
  }
}

async function checkStake(node: NodeClient, owner: HexAddress): Promise<Check> {
  const account = await node.getAccount(owner)
  const shown = toBase58(owner)
  if (!account) {
    const cause = `The stake ${shown} is not on the chain yet: own Energy cannot be sold.`
    return ill('stake', cause, 'Send TRX to it and stake them for Energy.')
  }
  const staked = account.frozen.ENERGY + account.delegatedForEnergy
  if (staked === 0n) {
    const cause = `The stake ${shown} has staked nothing for Energy: own Energy cannot be sold.`
    return ill('stake', cause, 'Stake its TRX for Energy, or switch provider:own_stake off.')
  }
  const lent = formatTrx(account.delegatedForEnergy)
  return fine('stake', `${shown} has ${formatTrx(staked)} TRX staked, ${lent} of them delegated.`)
}
