import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, resolve } from 'node:path'
import { CannotStart } from '../kernel/index.ts'

/**
 * Makes the data folder and claims it for this process. The claim is a Linux abstract socket: the
 * kernel drops it with the process, so a killed service leaves no stale lock behind.
 */
export async function claimDataFolder(path: string): Promise<{ folder: string; release(): void }> {
  const folder = makeFolder(resolve(path))
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 24)
  const claim = await listen(`\0ergon-${name}`).catch(() => {
    throw new CannotStart(
      `Ergon already runs on ${folder}. Stop it, or set DATA_DIR to another folder.`,
    )
  })
  return { folder, release: () => claim.close() }
}

/** Whether an Ergon runs on this folder; makes nothing. */
export async function isClaimed(path: string): Promise<boolean> {
  const folder = resolve(path)
  if (!existsSync(folder)) return false
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)
  const claim = await listen(`\0ergon-${name}`).catch(() => undefined)
  claim?.close()
  return claim === undefined
}

function makeFolder(path: string): string {
  try {
    makeMissing(path)
    accessSync(path, constants.W_OK | constants.X_OK)
    return realpathSync(path)
  } catch {
    throw new CannotStart(
      `The data folder ${path} cannot be written. Set DATA_DIR to a folder that can.`,
    )
  }
}

/** One level at a time: Node's recursive mkdir never returns on a file system that refuses folders. */
function makeMissing(path: string) {
  if (existsSync(path)) return
  makeMissing(dirname(path))
  mkdirSync(path, { mode: 0o755 })
}

function listen(socket: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((connection) => connection.destroy())
    server.once('error', fail)
    server.listen(socket, () => {
      server.unref()
      done(server)
    })
  })
}

/** Checked before anything is started, so that a taken port is reported in one sentence. */
export async function assertPortFree(host: string, port: number, setting: string): Promise<void> {
  if (port === 0) return
  await new Promise<void>((done, fail) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? 'is taken by another program'
          : `cannot be used (${error.code})`
      fail(new CannotStart(`Port ${port} ${reason}. Set ${setting} to a free port.`))
    })
    server.listen(port, host, () => server.close(() => done()))
  })
}
