import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectClient } from '../../service/db/index.ts'
import { describeStatement } from '../testing/describeStatement.ts'

type Named = { root: string; file: string; name: string }

/** Why the database refuses a statement of a store; undefined if it accepts it. */
export async function troubleWithStatement(url: string, named: Named): Promise<string | undefined> {
  const text = textOf(named)
  return trouble(url, async (client) => {
    await client.query(`set search_path = ''`)
    await describeStatement(client, text)
  })
}

/**
 * Why the database refuses a file of functions. Without this check a body is first parsed when it
 * runs.
 */
export function troubleWithFunctions(url: string, sql: string): Promise<string | undefined> {
  return trouble(url, async (client) => {
    await client.query(`set role ergon_owner; set search_path = ''; begin`)
    await client.query(sql)
  })
}

type Client = Awaited<ReturnType<typeof connectClient>>

async function trouble(
  url: string,
  ask: (client: Client) => Promise<unknown>,
): Promise<string | undefined> {
  const client = await connectClient({ connectionString: url })
  try {
    await ask(client)
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    // Closing the connection rolls the transaction back.
    await client.end()
  }
}

/** Runs in its own process: a module is loaded once, and a statement's name is registered once. */
function textOf({ root, file, name }: Named): string {
  const [store, db] = [file, 'service/db/index.ts'].map((path) =>
    JSON.stringify(pathToFileURL(join(root, path)).href),
  )
  const program = `await import(${store})
    const { allStatements } = await import(${db})
    process.stdout.write(allStatements().find(({ name }) => name === ${JSON.stringify(name)}).text)`
  return execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString()
}
