import type { PayLanguage } from '@ergon/contract'
import type { Messages } from './messages/en.ts'

/** The page's data for its script, as JSON. Amounts are decimal strings. */
export type PayData = {
  publicId: string
  language: PayLanguage
  basePaymentSun: string
  energyPerUnit: string
  maxUnits: number
  available: boolean
  /** The server's time when the page was rendered. */
  now: string
  messages: Messages['live'] & Pick<Messages['page'], 'copied'>
}
