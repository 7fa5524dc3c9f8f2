import { DecodeError, parseUntyped } from '../json/index.ts';
import { fieldElement, indexElement, keyElement, type PathElement, valueElement } from './path-element.ts';

/** A malformed FieldsV1 text. */
export class FieldsError extends Error {
  override readonly name = 'FieldsError';
}

/**
 * Parses what `PathElement.text` writes. Undefined for unknown kinds of elements, which a newer server may have written;
 * they are dropped.
 *
 * Throws a FieldsError.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new FieldsError('key must be 2 characters long:');
  if (text[1] !== ':') throw new FieldsError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return fieldElement(content);
    case 'k':
      return keyElement(parseKey(content));
    case 'v':
      return valueElement(parseJson(content));
    case 'i':
      return indexElement(parseIndex(content));
    default:
      return undefined;
  }
}

function parseKey(text: string): { readonly name: string; readonly value: unknown }[] {
  const key = parseJson(text);
  if (typeof key !== 'object' || Array.isArray(key)) throw new FieldsError(`expect { or n, but found ${text[0] ?? ''}`);
  return Object.entries(key ?? {}).map(([name, value]) => ({ name, value: value as unknown }));
}

function parseJson(text: string): unknown {
  try {
    return parseUntyped(text);
  } catch (cause) {
    if (cause instanceof DecodeError) throw new FieldsError(cause.message, { cause });
    throw cause;
  }
}

function parseIndex(text: string): number {
  if (!/^[+-]?\d{1,15}$/.test(text))
    throw new FieldsError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
