/** Styles of a terminal, by their codes for on and off. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;

/** Gives text a style; returns it unchanged where there is no colour. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

const styled: Paint = (style, text) => {
  const [on, off] = STYLES[style];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
};

/** Colour for terminals, unless `NO_COLOR` is set (no-color.org) or `TERM` is dumb; `FORCE_COLOR` asks for it anywhere. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const { NO_COLOR: refused = '', FORCE_COLOR: forced = '', TERM: terminal = '' } = environment;
  if (refused !== '') return plain;
  if (forced !== '') return forced === '0' || forced === 'false' ? plain : styled;
  return stream.isTTY === true && terminal !== 'dumb' ? styled : plain;
}
