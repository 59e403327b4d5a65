import { escaped } from './html.ts'
import { dayWords } from './times.ts'

/** A text of an operator: escaped, an empty line begins a paragraph, others break. */
export const noticeText = (text: string) =>
  text === ''
    ? ''
    : text
        .split(/\n{2,}/)
        .map((part) => `<p class="text" dir="auto">${escaped(part)}</p>`)
        .join('')

/** A moment of UTC, which the script turns into the reader's zone. */
export function momentOf(iso: string): string {
  const [day = '', clock = ''] = iso.split('T')
  return `<time datetime="${escaped(iso)}">${dayWords(day)} ${clock.slice(0, 5)} UTC</time>`
}
