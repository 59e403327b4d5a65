const SOURCES: Record<string, string> = {
  api: 'API',
  workspace: 'Workspace',
  checkout: 'Transfer',
  agent: 'Pay page',
}

/** Where an order was bought, for people. */
export const sourceWords = (source: string) => SOURCES[source] ?? source
