import { type Approval, publicKeyOf, signText } from '../../signing/index.ts'
import { type Line, Unclear } from '../options.ts'
import { readOperatorKey } from './operatorKey.ts'
import { EXIT } from './response.ts'
import { troubleOf } from './troubleOf.ts'

/** Exactly what is signed, with the end that it names. */
export type ToSign = { text: string; ends: Date }

/** An approval signed here with a key file, or the output of `operator-key sign` with its expiry; else a sentence. */
export async function approvalIn(
  line: Line,
  of: { textOf(): Promise<ToSign | undefined>; nothing: string; command: string },
): Promise<Approval | string> {
  const [key = '', signature = ''] = line.option('signed').split(':')
  if (key) {
    const ends = new Date(line.option('ends'))
    if (Number.isNaN(ends.getTime())) {
      throw new Unclear(`--ends needs the time that npx ergon ${of.command} prints.`)
    }
    return { key, signature, ends }
  }
  if (!line.option('key-file') || !line.option('passphrase-file')) {
    throw new Unclear('An approval needs --key-file and --passphrase-file, or --signed and --ends.')
  }
  const toSign = await of.textOf()
  return toSign ? signed(line, toSign) : of.nothing
}

function signed(line: Line, { text, ends }: ToSign): Approval | string {
  try {
    const privateKey = readOperatorKey(line, 'key-file')
    return { key: publicKeyOf(privateKey), signature: signText(text, privateKey), ends }
  } catch (error) {
    return troubleOf(error)
  }
}

/** Prints the exact text to sign, for `operator-key sign`. */
export function showText(line: Line, toSign: ToSign | undefined, nothing: string): number {
  if (!toSign) {
    console.error(nothing)
    return EXIT.refused
  }
  line.say({ ...toSign, ends: toSign.ends.toISOString() }, toSign.text.trimEnd())
  return EXIT.done
}
