import { join } from 'node:path'
import { folderOf } from './built.ts'

/** Pages that the service renders: their files, and how many bytes these may have, packed. */
export type PlainPart = 'pay' | 'front' | 'status'

const STYLES: Record<PlainPart, readonly string[]> = {
  pay: ['shared/plain.css', 'shared/controls.css', 'pay/pay.css', 'pay/follow.css'],
  front: ['shared/plain.css', 'shared/controls.css', 'front/front.css'],
  status: ['shared/plain.css', 'status/status.css'],
}

/** A whole visit of the pay page takes at most 20 kB; its HTML is within the rest. */
export const BYTES_MAX: Record<PlainPart, number> = {
  pay: 15_000,
  front: 15_000,
  status: 15_000,
}

export const scriptOf = (part: PlainPart) => join(folderOf(part), `${part}.js`)
export const stylesOf = (part: PlainPart) =>
  STYLES[part].map((name) => join(import.meta.dirname, name))

/** Files that are put together for a page, as paths; the script is there once it was built. */
export const filesOf = (part: PlainPart) => ({
  styles: stylesOf(part),
  scripts: [scriptOf(part)],
  icon: join(import.meta.dirname, 'shared/icon.svg'),
})
