import { toBase58, toHex } from '@ergon/tron'
import type { Coverage, Wallet } from './autoenergy.ts'

/** Strangers who call a contract whose Energy its deployer pays for: a covered address. */
export type Strangers = {
  /** A contract of the wallet's, called from now on by `call`. */
  deploy(wallet: Wallet): Contract
  /** Ends every deployment. */
  leave(): void
}

export type Contract = {
  /** A stranger's call: 64,285 Energy, paid by the deployer as far as it has any. Not mined yet. */
  call(): Promise<void>
  /** Energy of the deployer that all calls so far have taken. */
  taken(): bigint
}

const SELECTOR = 'transfer(address,uint256)'
const FEE_LIMIT = 100_000_000

export function openStrangers(house: Coverage): Strangers {
  const { chain } = house.devnet
  const contracts = chain.network.contracts as Map<string, object>
  const { tronWeb } = house.wallet()
  const deployed: string[] = []
  return {
    deploy({ address }) {
      const contract = `41${String(deployed.length + 1).padStart(4, '0')}${'c0de'.repeat(9)}`
      const sharing = { origin: toHex(address), percent: 100n }
      contracts.set(contract, { ...contracts.get(chain.network.usdt)!, sharing })
      deployed.push(contract)
      const txids: string[] = []
      return {
        async call() {
          const parameter = [
            { type: 'address', value: house.receivers.at(-1)! },
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
    leave() {
      for (const contract of deployed) contracts.delete(contract)
    },
  }
}

function originUsage(found: { info: object } | undefined): bigint {
  const { receipt = {} } = (found?.info ?? {}) as { receipt?: Record<string, unknown> }
  return BigInt(String(receipt.origin_energy_usage ?? 0))
}
