import { statement } from '../../db/index.ts'
import { STANDING, type StandingRow } from './store.ts'

export const lockStanding = statement<StandingRow>(
  'delivery.lockStanding',
  `
  ${STANDING} where s.address = $1 for no key update of s
`,
)
