/** A messaging app. Another one is another file that makes one of these, named in `chat.ts`. */
export type ChatApp = {
  readonly name: string
  readonly limits: {
    /** Messages a second, to all chats together. */
    perSecond: number
    /** Between two messages to one chat. */
    pauseMs: number
    /** Characters of one message. */
    length: number
  }
  /** Says one plain text, once. Never throws. */
  say(address: string, text: string): Promise<Said>
  /** What people said to us, at or above `from`; waits some seconds for the first word. */
  hear(from: string | null): Promise<Heard>
  /** What somebody has to say so that a code is heard, and a link that says it for them, or ''. */
  invite(code: string): Promise<{ command: string; url: string }>
  /** Ends what is under way. */
  close(): void
}

export type Said =
  | { kind: 'said' }
  /** Too much at once: not before so many milliseconds. */
  | { kind: 'later'; afterMs: number }
  /** The chat is gone, or wants nothing from us any more. */
  | { kind: 'gone' }
  /** This text will never be taken. */
  | { kind: 'refused'; reason: string }
  /** Nobody knows whether it arrived. */
  | { kind: 'trouble'; reason: string }

/** `below`: where the next word begins, in the app's own counting. */
export type Word = { address: string; name: string; text: string; below: string }
/** `below`: what to ask from the next time, which tells the app that all of this was heard. */
export type Heard = { words: Word[]; below: string | null } | { trouble: string }
