/** A stream of server-sent events as a client reads it. */
export type TestStream<Message> = {
  status: number
  headers: Headers
  /** The messages received so far. */
  messages: Message[]
  /** Number of comments, which browsers do not pass on. */
  beats: number
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): void
}

export async function openStream<Message>(
  url: string,
  headers: Record<string, string> = {},
): Promise<TestStream<Message>> {
  const leaving = new AbortController()
  const answer = await fetch(url, { signal: leaving.signal, headers })
  const messages: Message[] = []
  const stream = {
    status: answer.status,
    headers: answer.headers,
    messages,
    beats: 0,
    close: () => leaving.abort(),
  }
  let text = ''
  async function read() {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        if (block.startsWith('data: ')) messages.push(JSON.parse(block.slice('data: '.length)))
        else stream.beats += 1
      }
    }
  }
  const ended = read().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error
  })
  return Object.assign(stream, { ended })
}
