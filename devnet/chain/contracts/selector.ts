// Keccak-256 of a method's signature. Node's crypto has only SHA-3, which pads differently; this
// runs once for a method that a built-in contract does not know, so it is short rather than fast.

const rateBytes = 136

/** The first four bytes of the hash, which the calldata begins with. */
export function selectorOf(signature: string): string {
  const message = Buffer.from(signature)
  const padded = Buffer.alloc(Math.floor(message.length / rateBytes + 1) * rateBytes)
  message.copy(padded)
  padded[message.length] = 0x01
  padded[padded.length - 1]! |= 0x80
  const lanes = Array.from({ length: 25 }, () => 0n)
  for (let at = 0; at < padded.length; at += rateBytes) {
    for (let lane = 0; lane < rateBytes / 8; lane++) {
      lanes[lane]! ^= padded.readBigUInt64LE(at + lane * 8)
    }
    permute(lanes)
  }
  const first = Buffer.alloc(8)
  first.writeBigUInt64LE(lanes[0]!)
  return first.toString('hex', 0, 4)
}

function permute(lanes: bigint[]): void {
  let register = 1
  for (let round = 0; round < 24; round++) {
    const columns = [0, 1, 2, 3, 4].map(
      (x) => lanes[x]! ^ lanes[x + 5]! ^ lanes[x + 10]! ^ lanes[x + 15]! ^ lanes[x + 20]!,
    )
    for (let at = 0; at < 25; at++) {
      lanes[at]! ^= columns[(at + 4) % 5]! ^ rotate(columns[(at + 1) % 5]!, 1)
    }
    let [x, y, moving] = [1, 0, lanes[1]!]
    for (let step = 0; step < 24; step++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const displaced = lanes[x + 5 * y]!
      lanes[x + 5 * y] = rotate(moving, (((step + 1) * (step + 2)) / 2) % 64)
      moving = displaced
    }
    for (let row = 0; row < 25; row += 5) {
      const old = lanes.slice(row, row + 5)
      for (let i = 0; i < 5; i++)
        lanes[row + i] = old[i]! ^ (~old[(i + 1) % 5]! & old[(i + 2) % 5]!)
    }
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) lanes[0]! ^= 1n << BigInt((1 << bit) - 1)
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1
    }
  }
}

function rotate(lane: bigint, bits: number): bigint {
  return BigInt.asUintN(64, (lane << BigInt(bits)) | (lane >> BigInt(64 - bits)))
}
