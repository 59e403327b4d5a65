import { dateWords, exactWords, zoneWords } from './times.ts'

/** Writes the moments of a page in the reader's zone, and names the zone. */
export function localTimes(now = Date.now()): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const ms = Date.parse(time.dateTime)
    if (Number.isNaN(ms)) continue
    time.textContent = `${dateWords(ms, now)} ${zoneWords(ms)}`
    time.title = exactWords(ms)
  }
}
