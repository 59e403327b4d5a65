import { statement } from '../db/index.ts'
import type { CoveredCall } from './coveredCall.ts'

const CALL = `txid, block_number as block, block_time as time, position, result, energy, burned_sun as burned,
  fee_limit_sun as "feeLimit"`

export const lockSeenCalls = statement<CoveredCall>(
  'autoenergy.lockSeenCalls',
  `
  select ${CALL} from autoenergy.call
   where subscription_id = $1 and state = 'seen' and block_number is not null
   order by txid
     for update
`,
)
