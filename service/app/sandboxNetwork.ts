import { join } from 'node:path'

/**
 * Public facts about the sandbox's keys. They derive from the published test mnemonic (a test checks
 * it); the mnemonic itself is read by the signer alone.
 */
export const SANDBOX_MNEMONIC_FILE = join(import.meta.dirname, 'sandbox-mnemonic.txt')

/** m/44'/195'/1'/0: deposit addresses. The devnet's funded keys lie under 0'. */
export const SANDBOX_DEPOSIT_XPUB =
  'xpub6DYjajFXaaGoKXmK5ZB3s4of3srcgUGbPRgyXBpajfmJWgn8HguRNvmKBejyJNpbgY7UEzn7Yw7HJ4SCutbxCJ22x96G2sqaqkgKwegtDcW'

/** m/44'/195'/2'/0/0 and /1: the hot wallet and the stake. */
export const SANDBOX_HOT_ADDRESS = 'TKUwMQUhHTADfAtfG4gAHwXFGa3PYDieMJ'
export const SANDBOX_STAKE_ADDRESS = 'TAyLwcYDc9dVzR1mTUYufzwheeTzhagEH7'

/** m/44'/195'/2'/0/2: may delegate, freeze, unfreeze, vote and claim for the stake, and nothing else. */
export const SANDBOX_DELEGATE_ADDRESS = 'TSJk5hWcCW5dhdkkxXCRmVi5EfFbwpuG82'

/** The stake as the signer's setting has it: its only active permission is number 2. */
export const SANDBOX_STAKE = `${SANDBOX_STAKE_ADDRESS}:2`

/** The devnet's USDT. */
export const SANDBOX_USDT_CONTRACT = 'TRq8xk2rBpWSfD3Ceg8587dhJYJDh1bJqH'

/** Bits 4, 13 and 54 to 59 of 32 bytes: votes, claims, and all that stake 2.0 has. */
const OF_STAKE = `102000000000c00f${'0'.repeat(48)}`

const TRX = 1_000_000

/** The stake has room for 500,000,000 Energy at 10 Energy per TRX, and bandwidth for its own transactions. */
export const sandboxGenesis = {
  accounts: [
    {
      address: SANDBOX_STAKE_ADDRESS,
      balance_sun: 1_000_000 * TRX,
      frozen_energy_sun: 50_000_000 * TRX,
      frozen_bandwidth_sun: 20_000_000 * TRX,
      active_permission: { address: SANDBOX_DELEGATE_ADDRESS, operations: OF_STAKE },
    },
    { address: SANDBOX_HOT_ADDRESS, balance_sun: 100_000 * TRX },
  ],
}
