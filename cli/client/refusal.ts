import { ApiError } from '../../sdk/index.ts'

/** The service has refused, and nothing was done. After other answers of 5xx nobody knows. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status < 500 || error.code === 'service_unavailable')
}
