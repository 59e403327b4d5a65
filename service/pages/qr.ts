import { create } from 'qrcode'

/** A QR code as one path of unit squares; the page leaves room around it. */
export function drawQr(text: string): { size: number; path: string } {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const { size } = modules
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let length = 0
      while (x + length < size && modules.get(y, x + length)) length += 1
      if (length === 0) continue
      path += `M${x} ${y}h${length}v1h-${length}z`
      x += length
    }
  }
  return { size, path }
}
