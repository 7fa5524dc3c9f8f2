const NAMED: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', Number.NaN],
]);
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/;

/** Digits may have single underscores between them; behind `0x` there may be one, too. */
const WRONG_UNDERSCORE = /(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])|(?<!^[+-]?0)[xX]_/;

/** Reads a number as Go's ParseFloat does: also `inf`, `NaN`, hexadecimal; nothing when it is none or too large. */
export function parseGoFloat(written: string): number | undefined {
  const text = WRONG_UNDERSCORE.test(written) ? written : written.replaceAll('_', '');
  const named = NAMED.get(text.replace(/^[+-]/, '').toLowerCase());
  if (named !== undefined) {
    if (Number.isNaN(named)) return /^[+-]/.test(text) ? undefined : named;
    return text.startsWith('-') ? -named : named;
  }
  const value = DECIMAL.test(text) ? Number(text) : parseHexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function parseHexadecimal(text: string): number | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = HEXADECIMAL.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
