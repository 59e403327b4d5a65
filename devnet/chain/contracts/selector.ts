// Keccak-256. Node's crypto has only SHA-3, which pads differently; this runs once for a method that
// a built-in contract does not know, or for a new contract, so it is short rather than fast.

const rateBytes = 136

/** The first four bytes of the hash, which the calldata begins with. */
export function selectorOf(signature: string): string {
  return keccak256(Buffer.from(signature)).toString('hex', 0, 4)
}

export function keccak256(message: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.floor(message.length / rateBytes + 1) * rateBytes)
  padded.set(message)
  padded[message.length] = 0x01
  padded[padded.length - 1]! |= 0x80
  const lanes = Array.from({ length: 25 }, () => 0n)
  for (let at = 0; at < padded.length; at += rateBytes) {
    for (let lane = 0; lane < rateBytes / 8; lane++) {
      lanes[lane]! ^= padded.readBigUInt64LE(at + lane * 8)
    }
    permute(lanes)
  }
  const hash = Buffer.alloc(32)
  for (let lane = 0; lane < 4; lane++) hash.writeBigUInt64LE(lanes[lane]!, lane * 8)
  return hash
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
