import type { PayLanguage } from '@ergon/contract'
import type { Messages } from './messages/en.ts'

/** What the page tells its script, as JSON beside it. Amounts are decimal strings. */
export type PayData = {
  publicId: string
  language: PayLanguage
  basePaymentSun: string
  energyPerUnit: string
  maxUnits: number
  available: boolean
  messages: Messages['live'] & Pick<Messages['page'], 'copied'>
}
