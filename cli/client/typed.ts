import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Unusable } from './unusable.ts'

/** One line from the keyboard, or from standard input if that is a file or a pipe. */
export async function typed(question: string, { hidden = false } = {}): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return firstLine(question)
  stderr.write(`${question}: `)
  // Readline echoes through its output: a secret goes to a stream that drops it.
  const output = hidden ? new Writable({ write: (_chunk, _coding, done) => done() }) : stderr
  const lines = createInterface({ input: stdin, output, terminal: true })
  try {
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    if (hidden) stderr.write('\n')
  }
}

let piped: AsyncIterator<string> | undefined

async function firstLine(question: string): Promise<string> {
  piped ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const { value, done } = await piped.next()
  if (done || !value) throw new Unusable(`${question} is missing.`)
  return String(value).trim()
}
