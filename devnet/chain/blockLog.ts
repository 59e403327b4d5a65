import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** Records one after the other. What was appended is never changed. */
export type BlockLog = {
  append(record: Buffer): number
  read(place: number): Buffer
  /** Every whole record from the beginning, for the index. */
  records(): Iterable<{ place: number; record: Buffer }>
  sync(): void
  close(): void
}

export function memoryLog(): BlockLog {
  const kept: Buffer[] = []
  return {
    append: (record) => kept.push(record) - 1,
    read: (place) => kept[place]!,
    *records() {
      for (const [place, record] of kept.entries()) yield { place, record }
    },
    sync() {},
    close() {},
  }
}

const frameBytes = 8

/**
 * A file of frames: length, checksum, record. A process that is killed can only leave the last
 * frame unfinished; it is cut off at the next start, and the block in it was never announced.
 */
export function fileLog(path: string): BlockLog {
  const file = openSync(path, 'a+')
  let end = wholeFrames(file)
  ftruncateSync(file, end)
  return {
    append(record) {
      const frame = Buffer.allocUnsafe(frameBytes + record.length)
      frame.writeUInt32LE(record.length, 0)
      frame.writeUInt32LE(crc32(record), 4)
      record.copy(frame, frameBytes)
      const place = end
      for (let written = 0; written < frame.length; ) {
        written += writeSync(file, frame, written)
      }
      end += frame.length
      return place
    },
    read(place) {
      const record = readFrame(file, place)
      if (!record) throw new Error(`the block log ${path} is damaged at byte ${place}`)
      return record
    },
    *records() {
      for (let place = 0; place < end; ) {
        const record = readFrame(file, place)!
        yield { place, record }
        place += frameBytes + record.length
      }
    },
    sync: () => fsyncSync(file),
    close: () => closeSync(file),
  }
}

function wholeFrames(file: number): number {
  let end = 0
  for (;;) {
    const record = readFrame(file, end)
    if (!record) return end
    end += frameBytes + record.length
  }
}

function readFrame(file: number, place: number): Buffer | undefined {
  const head = Buffer.allocUnsafe(frameBytes)
  if (readSync(file, head, 0, frameBytes, place) < frameBytes) return undefined
  const length = head.readUInt32LE(0)
  // A length that no block has comes from a torn frame; do not reserve memory for it.
  if (length > recordBytesMax) return undefined
  const record = Buffer.allocUnsafe(length)
  if (readSync(file, record, 0, length, place + frameBytes) < length) return undefined
  return crc32(record) === head.readUInt32LE(4) ? record : undefined
}

const recordBytesMax = 256 * 1024 * 1024
