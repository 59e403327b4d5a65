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
  /** Sends one plain text, once. Never throws. */
  sendMessage(address: string, text: string): Promise<SendResult>
  /** Messages to our bot, from the cursor `from` on; waits some seconds for the first one. */
  receiveUpdates(from: string | null): Promise<Updates>
  /** The command that links a chat by the code, and a link that sends it, or ''. */
  invite(code: string): Promise<{ command: string; url: string }>
  /** Aborts the calls under way. */
  close(): void
}

export type SendResult =
  | { kind: 'sent' }
  /** Too much at once: not before so many milliseconds. */
  | { kind: 'later'; afterMs: number }
  /** The chat is gone, or wants nothing from us any more. */
  | { kind: 'gone' }
  /** This text will never be taken. */
  | { kind: 'refused'; reason: string }
  /** Nobody knows whether it arrived. */
  | { kind: 'trouble'; reason: string }

/** `below`: the cursor after this update, in the app's own counting. */
export type Update = { address: string; name: string; text: string; below: string }
/** `below`: the cursor of the next request; sending it confirms these updates to the app. */
export type Updates = { updates: Update[]; below: string | null } | { trouble: string }
