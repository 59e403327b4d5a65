/** Browsers make passkeys over https, at a name; of numbers they take none. A sandbox has its name beside it. */
export const canPasskey = () =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)

/** The same page at a name, in a sandbox; else undefined. */
export const namedHere = () =>
  location.hostname === '127.0.0.1'
    ? location.href.replace('//127.0.0.1', '//localhost')
    : undefined
