import { type AddressInfo, createServer } from 'node:net'

/** A mail server on loopback that keeps messages, or refuses them with a status. */
export type MailServer = {
  url: string
  letters: { to: string; data: string }[]
  /** The status for each message; 250 accepts it. */
  answer(status: number): void
  turnedAway(): number
  close(): Promise<void>
}

export async function openMailServer(): Promise<MailServer> {
  const letters: MailServer['letters'] = []
  let status = 250
  let refused = 0
  const server = createServer((socket) => {
    let to = ''
    let data: string | undefined
    let rest = ''
    const say = (line: string) => socket.write(`${line}\r\n`)
    const receive = (line: string) => {
      if (data !== undefined) {
        if (line !== '.') {
          data += `${line}\n`
          return
        }
        if (status === 250) letters.push({ to, data })
        else refused += 1
        data = undefined
        say(status === 250 ? '250 taken' : `${status} not now`)
      } else if (/^RCPT TO:/i.test(line)) {
        to = /<(.*)>/.exec(line)![1]!
        say('250 ok')
      } else if (/^DATA/i.test(line)) {
        data = ''
        say('354 go on')
      } else if (/^QUIT/i.test(line)) {
        say('221 bye')
        socket.end()
      } else say('250 ok')
    }
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n')
      rest = lines.pop()!
      lines.forEach(receive)
    })
    say('220 test')
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letters,
    answer: (next) => {
      status = next
    },
    turnedAway: () => refused,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}
