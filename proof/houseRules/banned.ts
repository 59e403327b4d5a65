import { isTest } from './floors.ts'
import { type Rule, type Source, violations } from './source.ts'

/** A word that rooms may not use, what to use instead, and the files that may, each with its reason. */
type Ban = { pattern: RegExp; instead: string; except: Record<string, string> }

const CLIENT_ROOMS = 'chain, providers, webhooks, chat and sandbox-api'
const clientRooms = Object.fromEntries(
  ['chain', 'providers', 'webhooks', 'chat', 'sandbox-api'].map((room) => [
    `service/${room}/`,
    'it speaks to the outside world',
  ]),
)
const launcher = 'it starts programs before there is anything to hand it a clock'
const launchers = {
  'service/db/postgres.ts': launcher,
  'service/app/main.ts': launcher,
  'service/app/children.ts': launcher,
}

const BANS: readonly Ban[] = [
  {
    pattern: /\bprocess\.env\b/g,
    instead: 'process.env is banned here, take the settings from kernel',
    except: {},
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/g,
    instead: 'is banned here, use clock.now(), clock.elapsedMs() or clock.wallMs()',
    except: launchers,
  },
  {
    pattern:
      /\bMath\.random\b|\b(?:randomBytes|randomUUID|randomInt|randomFill\w*|getRandomValues)\b/g,
    instead: 'is banned here, use runtime.random or runtime.ids',
    except: {},
  },
  {
    pattern: /\b(?:setTimeout|setInterval|setImmediate)\b/g,
    instead: 'is banned here, use createLoop or within of kernel',
    except: {
      ...launchers,
      'service/db/servers.ts': 'a start gives a busy server a moment before it asks again',
      'service/app/advance.ts': 'only the sandbox waits for its own scanner',
      'service/app/sandboxReady.ts': 'only the sandbox waits until it is ready',
    },
  },
  {
    pattern: /(?<![\w.])fetch\s*\(/g,
    instead: `is banned here, HTTP clients live in ${CLIENT_ROOMS}`,
    except: {
      ...clientRooms,
      'service/http/traces.ts': 'it sends spans to the collector that the operator names',
    },
  },
  {
    pattern: /\bnew pg\.(?:Pool|Client)\b/g,
    instead: 'is banned here, use createPool or connectClient of db/connections.ts',
    except: { 'service/db/connections.ts': 'it listens to the errors of every connection' },
  },
  {
    pattern: /\bconsole\.\w+/g,
    instead: 'is banned here, use the log, which lets only listed fields through',
    except: {
      'service/app/main.ts': 'it speaks to the person who started it',
      'service/signer.ts': 'it speaks to the person who started it',
      'service/operator/': 'commands print',
      'service/app/commands.ts': 'commands print',
      'service/app/commandRooms.ts': 'commands print',
    },
  },
]

/** Packages only some may import. Types are free: they are gone at run time. */
const IMPORTS: readonly Ban[] = [
  {
    pattern: /from '(pg)'/g,
    instead: 'only db imports the driver; write a statement in store.ts',
    except: { 'service/db/': 'it is db' },
  },
  {
    pattern: /from '(undici|node:https?|node:http2|node:tls|node:dgram)'/g,
    instead: `HTTP clients live in ${CLIENT_ROOMS}`,
    except: { ...clientRooms, 'service/http/': 'it is the server' },
  },
  {
    pattern: /from '(node:net)'/g,
    instead: `sockets live in ${CLIENT_ROOMS}`,
    except: {
      ...clientRooms,
      'service/http/': 'it is the server',
      'service/app/dataFolder.ts': 'a listening socket is the lock of the data folder',
    },
  },
  {
    pattern: /from '(nodemailer)'/g,
    instead: 'only mail sends mail',
    except: { 'service/mail/': 'it is mail' },
  },
  {
    pattern:
      /import \{[^}]*\b(sign|signMessageV2|privateKeyAt|generateMnemonic)\b[^}]*\} from '@ergon\/tron'/g,
    instead: 'private keys are in the signer alone; write a request through signing',
    except: { 'service/signer.ts': 'it is the signer', 'service/signer/': 'it is the signer' },
  },
]

function applies({ path }: Source, { except }: Ban): boolean {
  const isService = path.startsWith('service/') && path.endsWith('.ts')
  if (!isService || path.startsWith('service/kernel/') || isTest(path)) return false
  return !Object.keys(except).some(
    (place) => path === place || (place.endsWith('/') && path.startsWith(place)),
  )
}

export const bannedWords: Rule = {
  name: 'clocks, randomness, timers, environment and network come in through a door',
  check: (tree) =>
    BANS.flatMap((ban) =>
      tree
        .filter((source) => applies(source, ban))
        .flatMap((source) =>
          violations(source, 'bare', ban.pattern, ([word]) =>
            ban.instead.startsWith('is')
              ? `${word.replace(/\s*\($/, '')} ${ban.instead}`
              : ban.instead,
          ),
        ),
    ),
}

export const bannedImports: Rule = {
  name: 'drivers, HTTP clients, mail and keys are imported where they belong',
  check: (tree) =>
    IMPORTS.flatMap((ban) =>
      tree
        .filter((source) => applies(source, ban))
        .flatMap((source) => violations(source, 'code', ban.pattern, ban.instead)),
    ),
}
