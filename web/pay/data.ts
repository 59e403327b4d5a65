import type { PayLanguage } from '@ergon/contract'
import type { Messages } from './messages/en.ts'

/** How a moment of a notice is written. */
export const MOMENT = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

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
  /** When a notice above the offer begins or ends next; null: none does. */
  changesAt: string | null
  messages: Messages['live'] & Pick<Messages['page'], 'copied'>
}
