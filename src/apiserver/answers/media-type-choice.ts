import type { AcceptClause } from './accept.ts';
import { formats, mediaTypes } from './representation.ts';
import type { Conversion, Format, Representation } from './representation.ts';

/** What an endpoint can do besides writing its objects as they are. */
export interface Offer {
  /** Formats of objects as they are; what an object can be converted to may be had in all formats. */
  readonly plainFormats: readonly Format[];
  readonly hasTable: boolean;
  readonly hasPartialMetadata: boolean;
  /** The version of `meta.k8s.io` that the parameter `sv` may ask for. */
  readonly serverVersion: string | undefined;
}

/** What errors are written as: nothing but themselves. */
export const statusOffer: Offer = {
  plainFormats: formats,
  hasTable: false,
  hasPartialMetadata: false,
  serverVersion: undefined,
};

/** The best of the alternatives that can be had, if there is one. */
export function chooseRepresentation(clauses: readonly AcceptClause[], offer: Offer): Representation | undefined {
  for (const clause of clauses) {
    for (const format of formats) {
      if (!isNamed(format, clause)) continue;
      const chosen = representation(format, clause, offer);
      if (chosen !== undefined) return chosen;
    }
  }
  return undefined;
}

function isNamed(format: Format, { type, subtype }: AcceptClause): boolean {
  if (type === '*') return subtype === '*';
  return type === 'application' && (subtype === '*' || mediaTypes[format] === `application/${subtype}`);
}

function representation(format: Format, { parameters }: AcceptClause, offer: Offer): Representation | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || format === 'yaml')) return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== offer.serverVersion) return undefined;
  const conversion = conversionOf(parameters);
  if (!isOffered(format, conversion, offer)) return undefined;
  return { format, isPretty: parameters.get('pretty') === '1', conversion: conversion as Conversion | undefined };
}

interface AskedConversion {
  readonly kind: string;
  readonly apiVersion: string;
}

function conversionOf(parameters: ReadonlyMap<string, string>): AskedConversion | undefined {
  const kind = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { kind: kind ?? '', apiVersion: `${group ?? ''}/${version ?? ''}` };
}

function isOffered(format: Format, conversion: AskedConversion | undefined, offer: Offer): boolean {
  if (conversion === undefined) return offer.plainFormats.includes(format);
  if (conversion.apiVersion !== 'meta.k8s.io/v1' && conversion.apiVersion !== 'meta.k8s.io/v1beta1') return false;
  switch (conversion.kind) {
    case 'Table':
      return offer.hasTable && format !== 'protobuf';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return offer.hasPartialMetadata;
    default:
      return false;
  }
}
