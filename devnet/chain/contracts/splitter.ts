import { newAccount } from '../account.ts'
import { addressArgument, type BuiltInContract, returned, reverted } from './builtIn.ts'

const paySelector = '0c11dedd'
const callEnergy = 9_700n
// The TVM charges 25,000 for a call that brings its recipient into being.
const newAccountEnergy = 25_000n

/**
 * pay(address) forwards the TRX of the call by an internal transaction, the way contract wallets
 * of exchanges pay out: a deposit that no TransferContract shows.
 */
export const splitter: BuiltInContract = {
  name: 'Splitter',
  abi: [
    {
      inputs: [{ name: 'to', type: 'address' }],
      name: 'pay',
      stateMutability: 'Payable',
      type: 'Function',
    },
  ],
  methods: { [paySelector]: 'pay(address)' },
  run({ tables, contract, callValue, data, timestamp }) {
    if (data.slice(0, 8) !== paySelector) return reverted(200n)
    const to = addressArgument(data, 0)
    const existing = tables.accounts.get(to)
    const receiver = existing ?? newAccount(timestamp)
    const own = tables.accounts.get(contract)!
    if (callValue > 0n && to !== contract) {
      tables.accounts.set(contract, { ...own, balance: own.balance - callValue })
      tables.accounts.set(to, { ...receiver, balance: receiver.balance + callValue })
    }
    const energy = callEnergy + (existing ? 0n : newAccountEnergy)
    return returned(energy, '', { internal: [{ from: contract, to, sun: callValue }] })
  },
}
