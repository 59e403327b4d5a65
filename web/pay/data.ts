import type { PayLanguage } from '@ergon/contract'
import type { Words } from './words/en.ts'

/** What the page tells its script, as JSON beside it. Amounts are decimal strings. */
export type PayData = {
  publicId: string
  language: PayLanguage
  basePaymentSun: string
  energyPerUnit: string
  maxUnits: number
  available: boolean
  words: Words['live'] & Pick<Words['page'], 'copied'>
}
