import type { CallToolResult } from '@modelcontextprotocol/server'
import { jsonText } from '../output.ts'

/** The answer of the API as it is: amounts in *_sun are whole numbers. */
export function answer(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: jsonText(value) }] }
}

export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
