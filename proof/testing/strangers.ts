import { toBase58, toHex } from '@ergon/tron'
import type { TestAccount } from './app.ts'
import type { Coverage, Wallet } from './autoenergy.ts'
import { until } from './until.ts'

/** Strangers who call a contract whose deployer, a covered address, pays the Energy. */
export type Strangers = {
  /** Deploys a contract of the wallet; `call` calls it. */
  deploy(wallet: Wallet): Contract
  /** Two calls in each block, placed after any pending delegation. */
  takeWhatComes(wallet: Wallet, contract: Contract, blocks: number): Promise<void>
  /**
   * Waits until the address was measured at its newest block, and the resulting transactions are in
   * the pool.
   */
  lookedAt(wallet: Wallet): Promise<void>
  /** A client with 200 TRX, and its wallet with a contract. */
  thief(): Promise<Thief>
  /** Covers the wallet, lets strangers use it, and waits until it is closed for that. */
  catch(thief: Thief): Promise<void>
  caught(): Promise<Thief>
}

export type Thief = { client: TestAccount; wallet: Wallet; contract: Contract }

export type Contract = {
  /** A stranger's call: 64,285 Energy, paid by the deployer as far as it has any. Not mined yet. */
  call(): Promise<void>
  /** Energy of the deployer that all calls so far have used. */
  taken(): bigint
}

const SELECTOR = 'transfer(address,uint256)'
const FEE_LIMIT = 100_000_000

export function openStrangers(app: Coverage): Strangers {
  const { chain } = app.devnet
  const contracts = chain.network.contracts as Map<string, object>
  const { tronWeb } = app.wallet()
  let deployed = 0
  const looking = createLooking(app)
  const strangers: Strangers = {
    ...looking,
    deploy({ address }) {
      const contract = `41${String(++deployed).padStart(4, '0')}${'c0de'.repeat(9)}`
      const sharing = { origin: toHex(address), percent: 100n }
      contracts.set(contract, { ...contracts.get(chain.network.usdt)!, sharing })
      const txids: string[] = []
      return {
        async call() {
          const parameter = [
            { type: 'address', value: app.receivers.at(-1)! },
            { type: 'uint256', value: 1 },
          ]
          const options = { feeLimit: FEE_LIMIT }
          const built = await tronWeb.transactionBuilder.triggerSmartContract(
            toBase58(contract),
            SELECTOR,
            options,
            parameter,
          )
          const signed = await tronWeb.trx.sign(built.transaction)
          await tronWeb.trx.sendRawTransaction(signed)
          txids.push(signed.txID)
        },
        taken: () => txids.reduce((sum, txid) => sum + originUsage(chain.transaction(txid)), 0n),
      }
    },
    async thief() {
      const client = await app.fundedAccount('200')
      const wallet = app.wallet()
      return { client, wallet, contract: strangers.deploy(wallet) }
    },
    async catch({ client, wallet, contract }) {
      await app.cover(client, wallet)
      await looking.takeWhatComes(wallet, contract, 1)
      await looking.lookedAt(wallet)
      await app.advance(60)
      await app.become(client, wallet, { close_reason: 'energy_used_by_others' })
      await app.reclaimed(wallet)
    },
    async caught() {
      const thief = await strangers.thief()
      await strangers.catch(thief)
      return thief
    },
  }
  return strangers
}

function createLooking(app: Coverage): Pick<Strangers, 'lookedAt' | 'takeWhatComes'> {
  const { database, devnet, rooms } = app
  async function lookedAt({ address }: Wallet): Promise<void> {
    await app.scanned()
    const now = `update delivery.standing set look = true, looked_at = null where address = $1`
    await database.sql(now, [address])
    // Another transaction may hold the row for a moment; then it is left out. With a move under way it waits.
    await until('the address is looked at', async () => {
      await rooms.delivery.standing.loop.runOnce()
      const [row] = await database.sql<{ isDone: boolean }>(
        `select looked_at is not null or exists (
                  select from delivery.standing_move m where m.address = $1 and m.state in ('sent', 'orphaned')) as "isDone"
           from delivery.standing where address = $1`,
        [address],
      )
      return !row || row.isDone
    })
    const moves = await database.sql<{ txid: string }>(
      `select txid from delivery.standing_move where address = $1 and state = 'sent'`,
      [address],
    )
    const { pool } = devnet.chain
    await until('the move is in the pool', () => moves.every(({ txid }) => pool.has(txid)))
  }
  return {
    lookedAt,
    async takeWhatComes(wallet, contract, blocks) {
      for (let block = 0; block < blocks; block++) {
        await lookedAt(wallet)
        await contract.call()
        await contract.call()
        app.mine()
      }
    },
  }
}

function originUsage(found: { info: object } | undefined): bigint {
  const { receipt = {} } = (found?.info ?? {}) as { receipt?: Record<string, unknown> }
  return BigInt(String(receipt.origin_energy_usage ?? 0))
}
