import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { whenClockMoves } from './clock.ts'
import { useSteps } from './OneByOne.tsx'
import { pause } from './pause.ts'
import { StepUp } from './StepUp.tsx'
import { cssVariables, theme } from './theme.ts'

type App = { makeRouter(): AnyRouter; queryClient: QueryClient; stepUpPath: string }

/** The first read waits for another process of the browser: by itself, not in the middle of painting. */
function readStorage() {
  try {
    return localStorage.length + sessionStorage.length
  } catch {
    // Somebody has switched it off; who needs it asks again.
    return 0
  }
}

/** What is inside is made after what surrounds it, in a task of its own. */
function Next({ show, children }: { show(): void; children: ReactNode }) {
  const isMade = useSteps(1) === 1
  // Once: the page is in its place before the browser paints it.
  useLayoutEffect(() => {
    if (isMade) show()
  }, [isMade, show])
  return isMade && children
}

/** Starts the workspace or the console. Its HTML stays until the first page can be painted. */
export async function start({ makeRouter, queryClient, stepUpPath }: App): Promise<void> {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
  // The library that locks the scroll behind a drawer reads it: its style needs the nonce too.
  Object.assign(window, { __webpack_nonce__: nonce })
  // What was read before belongs to another hour.
  whenClockMoves(() => queryClient.invalidateQueries())
  await pause()
  readStorage()
  await pause()
  const router = makeRouter()
  await pause()
  await router.load()
  await pause()
  // Apart from the document: the HTML stays, whole, until the frame of the page is made.
  const place = document.createElement('div')
  place.id = 'root'
  createRoot(place).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Next show={() => document.getElementById('root')!.replaceWith(place)}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <StepUp path={stepUpPath} />
        </QueryClientProvider>
      </Next>
    </MantineProvider>,
  )
}
