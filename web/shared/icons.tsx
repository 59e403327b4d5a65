import type { ComponentProps } from 'react'

// Our own icons: lines on a grid of 24. A package of icons takes 88 MB for the 32 that we show.

type IconProps = Omit<ComponentProps<'svg'>, 'stroke'> & {
  /** Width and height, in pixels. */
  size?: number
  /** Line width, on the grid. */
  stroke?: number
}
export type Icon = ReturnType<typeof icon>

const RING = 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0'

/** Hidden from screen readers: a word or a label beside it has the same meaning. */
function icon(lines: string) {
  return ({ size = 24, stroke = 2, ...rest }: IconProps) => (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...rest}
    >
      <path d={lines} />
    </svg>
  )
}

export const IconAlert = icon('M12 4 2.5 20h19zM12 10v4M12 17v.01')
export const IconBan = icon(`${RING}M6 6l12 12`)
export const IconBook = icon('M5 4h6l1 1 1-1h6v15h-6l-1 1-1-1H5zM12 5v15')
export const IconBolt = icon('M13 2 4.5 13.5H11L10 22l8.5-11.5H12z')
export const IconCheck = icon('M5 13l4.5 4.5L19 7')
export const IconClock = icon(`${RING}M12 7v5l3.5 2`)
export const IconCoins = icon('M3 9a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15 9a6 6 0 1 1-6 6')
export const IconCopy = icon('M8 8h12v12H8zM16 8V4H4v12h4')
export const IconCross = icon('M6 6l12 12M18 6 6 18')
export const IconDone = icon(`${RING}M8 12.5l3 3 5-6.5`)
export const IconDownload = icon('M12 4v11M7 11l5 5 5-5M4 20h16')
export const IconFailed = icon(`${RING}M9 9l6 6M15 9l-6 6`)
export const IconGauge = icon('M4.2 17.5a9 9 0 1 1 15.6 0M12 13.5l4-4.5')
export const IconHome = icon('M3 11.5 12 4l9 7.5M5.5 10v10h13V10M10 20v-6h4v6')
export const IconKey = icon('M4 16a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10.9 13.1 20 4M16 8l3 3')
export const IconList = icon('M9 6h11M9 12h11M9 18h11M4 6v.01M4 12v.01M4 18v.01')
export const IconLog = icon('M6 4h12v17H6zM10 9h4M10 13h4M10 17h2')
export const IconMenu = icon('M4 7h16M4 12h16M4 17h16')
export const IconMessage = icon('M4 5h16v12h-8l-5 4v-4H4z')
export const IconPeople = icon(
  'M5.5 8a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5c2 .8 3 2.8 3 5.5',
)
export const IconPerson = icon(
  'M8.5 8a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M4.5 20c0-4 3.2-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
)
export const IconPlus = icon('M5 12h14M12 5v14')
export const IconPower = icon('M12 3v8M7 6a8 8 0 1 0 10 0')
export const IconPrice = icon('M4 4h8l8.5 8.5-8 8L4 12zM8 8v.01')
export const IconQuestion = icon(`${RING}M9 9.5a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17v.01`)
export const IconRanking = icon('M4 20V11h5v9M9.5 20V4h5v16M15 20v-6h5v6M3 20h18')
export const IconRepeat = icon(
  'M20 12a8 8 0 0 1-14 5.3M4 12a8 8 0 0 1 14-5.3M18.5 2.5v4.5H14M5.5 21.5V17H10',
)
export const IconRing = icon(RING)
export const IconSearch = icon('M4 10a6 6 0 1 0 12 0a6 6 0 1 0-12 0M14.5 14.5 20 20')
export const IconSettings = icon(
  'M4 7h10M18 7h2M4 17h2M10 17h10M14 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M6 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
)
export const IconShield = icon(
  'M12 3l8 3v6c0 4.5-3.3 7.8-8 9-4.7-1.2-8-4.5-8-9V6zM12 9.5v.01M12 12.5v3',
)
export const IconShop = icon('M3 10l2-6h14l2 6zM5 10v10h14V10M10 20v-5h4v5')
export const IconSignOut = icon('M14 4H5v16h9M10 12h11M17.5 8.5 21 12l-3.5 3.5')
export const IconVault = icon(
  'M3 4h18v15H3zM8.5 11.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M12 8v7M8.5 11.5h7M7 19v2M17 19v2',
)
export const IconWallet = icon('M3 6h18v13H3zM3 10h18M16 15h2')
export const IconWebhook = icon(
  'M10 5a2 2 0 1 0 4 0a2 2 0 1 0-4 0M3 18a2 2 0 1 0 4 0a2 2 0 1 0-4 0M17 18a2 2 0 1 0 4 0a2 2 0 1 0-4 0M11 6.8 6 16.2M13 6.8l5 9.4M7 18h10',
)
export const IconWorking = icon('M12 3a9 9 0 1 0 9 9')
