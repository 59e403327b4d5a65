/** A messaging app. To add one, write another file that makes a `ChatApp` and name it in `chat.ts`. */
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
  /** Rate limited: retry after so many milliseconds. */
  | { kind: 'later'; afterMs: number }
  /** The chat is gone, or has blocked us. */
  | { kind: 'gone' }
  /** The app will never accept this text. */
  | { kind: 'refused'; reason: string }
  /** It is unknown whether the message arrived. */
  | { kind: 'trouble'; reason: string }

/** `below`: the cursor after this update, in the app's own counting. */
export type Update = { address: string; name: string; text: string; below: string }
/** `below`: the cursor of the next request; sending it confirms these updates to the app. */
export type Updates = { updates: Update[]; below: string | null } | { trouble: string }
