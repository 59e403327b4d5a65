import { QRCodeSVG } from 'qrcode.react'

/** White in both themes: phones read dark on light. */
export function Qr({ value, label }: { value: string; label: string }) {
  return (
    <div className="qr">
      <QRCodeSVG value={value} size={168} marginSize={2} title={label} role="img" />
    </div>
  )
}
