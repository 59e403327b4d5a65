// What wholesalers were promised and what they asked for.

/** A price as it was promised. */
export type Held = { id: string; account: string; amount: bigint; price: bigint; expiresAt: Date }

/** A purchase that was asked for, whatever came of it. `of`: the batch in mode `all` that it was a part of. */
export type Asked = {
  trace: string
  account: string
  key: string | undefined
  amount: bigint
  quote: Held | undefined
  of: Batch | undefined
}

/** `answered`: every purchase has an answer that is known. */
export type Batch = { traces: string[]; answered: 'made' | 'refused' | undefined }
