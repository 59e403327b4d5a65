import type pg from 'pg'

export type Column = { name: string; type: number }

/** The driver's connection, which sends single messages; its types leave it out. */
type Wire = {
  parse(message: { name: string; text: string }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
}

/** Lets the server parse a statement without running it; returns the columns it would return. */
export function describeStatement(client: pg.Client, text: string): Promise<Column[]> {
  return new Promise((resolve, reject) => {
    let columns: Column[] = []
    // The driver's extension point: it passes the server's messages to these functions.
    client.query({
      submit(connection: unknown) {
        const wire = connection as Wire
        wire.parse({ name: '', text })
        wire.describe({ type: 'S', name: '' })
        wire.sync()
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as pg.Submittable)
  })
}
