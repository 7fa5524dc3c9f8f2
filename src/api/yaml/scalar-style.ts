import { resolveScalar } from './go-scalar.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Most strings: they need no quotes unless the whole is a word like `true`. */
const HARMLESS = /^[A-Za-z][A-Za-z0-9._/-]*$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * The style of a string in Go's YAML encoder: plain if it would be read back as that string, a block if it has several
 * lines.
 */
export function styleOf(text: string, isKey: boolean): ScalarStyle {
  if (HARMLESS.test(text) && resolveScalar(text).kind === 'string') return 'plain';
  const traits = traitsOf(text);
  if (text.includes('\n')) return isKey || !traits.allowsBlock ? 'double' : 'literal';
  if (resolveScalar(text).kind !== 'string' || BASE_60.test(text)) return 'double';
  if (isKey && traits.hasBreaks) return 'double';
  if (traits.allowsPlain) return 'plain';
  return traits.allowsSingle ? 'single' : 'double';
}

/** Whether a text has several lines, and so cannot be a simple key. */
export function hasBreaks(text: string): boolean {
  return BREAK.test(text);
}

const BREAK = /[\r\n\u0085\u2028\u2029]/;
/** Go writes these in single quotes, too, and then reads something else; ours round-trip. */
const SEPARATOR = /[\u2028\u2029]/;
const SPACE_BEFORE_BREAK = / [\r\n\u0085\u2028\u2029]/;
const SPACE_AFTER_BREAK = /[\r\n\u0085\u2028\u2029] /;
/** Characters that must be escaped: control characters, the byte order mark and everything above U+FFFF. */
const SPECIAL = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
/** Characters that would be read as punctuation: at the start, or before or after a space. */
const INDICATOR =
  /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$)|---|\.\.\.)|:(?:[ \t\r\n\u0085\u2028\u2029]|$)|[ \t\r\n\u0085\u2028\u2029]#/;

interface Traits {
  readonly hasBreaks: boolean;
  readonly allowsPlain: boolean;
  readonly allowsSingle: boolean;
  readonly allowsBlock: boolean;
}

function traitsOf(text: string): Traits {
  const isSpecial = SPECIAL.test(text) || SPACE_BEFORE_BREAK.test(text);
  const isPadded = text.startsWith(' ') || text.endsWith(' ');
  const breaks = BREAK.test(text);
  const isBroken = SPACE_AFTER_BREAK.test(text);
  return {
    hasBreaks: breaks,
    allowsPlain: !isSpecial && !isPadded && !breaks && !INDICATOR.test(text),
    allowsSingle: !isSpecial && !isBroken && !SEPARATOR.test(text),
    allowsBlock: !isSpecial && !text.endsWith(' '),
  };
}
